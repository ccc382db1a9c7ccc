import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { formatData } from '../../../host/base/hex.ts'
import { address } from '../../support/engine/engine-fixture.ts'
import { ModuleBench, reasonOf, resultOf } from '../../support/module/module-bench.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const BROKEN = 'json: the input is not a JSON document of the kind that the function reads'

let bench: ModuleBench

beforeAll(async () => {
  bench = await ModuleBench.open([])
})

function extract(functionName: string, document: string | Uint8Array, what: string | number) {
  const bytes = typeof document === 'string' ? encoder.encode(document) : document
  const outcome = bench.call(address(1), 'json', functionName, [formatData(bytes), what])
  if (outcome.error !== undefined) return { reason: reasonOf(outcome) }
  return { value: resultOf('json', functionName, outcome.output) }
}

const text = (value: string) => ({ value: formatData(encoder.encode(value)) })

describe('the json precompile', () => {
  test('extracts members as they are written, and strings without quotes', () => {
    const document =
      ' { "a" : "b\\n" , "n":[1, 2 ,"x"], "o":{"p": {}}, "t":true,"a\\u0062":-0.5e+3 } '
    expect(extract('extractAsBytes', document, 'a')).toEqual(text('b\\n'))
    expect(extract('extractAsBytes', document, 'n')).toEqual(text('[1, 2 ,"x"]'))
    expect(extract('extractAsBytes', document, 'o')).toEqual(text('{"p": {}}'))
    expect(extract('extractAsBytes', document, 't')).toEqual(text('true'))
    expect(extract('extractAsBytes', document, 'ab')).toEqual(text('-0.5e+3'))
    expect(extract('extractAsBytes', '{"a":1,"a":2}', 'a')).toEqual(text('2'))
    expect(extract('extractAsBytes', document, 'p')).toEqual({
      reason: 'json: the document has no member "p"',
    })
  })

  test('extracts lists, elements and numbers', () => {
    const list = extract('extractAsBytesList', '{"l":["a", 1, [2], "\\u00e9" , {}]}', 'l')
    expect(list).toEqual({
      value: ['a', '1', '[2]', '\\u00e9', '{}'].map((each) => text(each).value),
    })
    expect(extract('extractAsBytesList', '{"l":[ ]}', 'l')).toEqual({ value: [] })
    expect(extract('extractAsBytesList', '{"l":1}', 'l')).toEqual({
      reason: 'json: the member is not an array',
    })
    expect(extract('extractAsBytesFromArray', '[1,"two",3]', 1)).toEqual(text('two'))
    expect(extract('extractAsBytesFromArray', '[1,"two",3]', 3)).toEqual({
      reason: 'json: the array has 3 elements, none at 3',
    })
    const most = 2n ** 256n - 1n
    expect(extract('extractAsUint256', `{"n":"${most}"}`, 'n')).toEqual({ value: most })
    expect(extract('extractAsUint256', '{"n":0}', 'n')).toEqual({ value: 0n })
    for (const bad of [`${most + 1n}`, '"-1"', '-1', '1.5', '""', '"0x1"', '[]', '1e3']) {
      expect(extract('extractAsUint256', `{"n":${bad}}`, 'n')).toEqual({
        reason: 'json: the value is not a decimal integer from 0 to 2^256 - 1',
      })
    }
  })

  test('compares names after unescaping, including surrogate pairs', () => {
    expect(extract('extractAsBytes', '{"\\ud83d\\ude00":1}', '😀')).toEqual(text('1'))
    expect(extract('extractAsBytes', '{"\\ud83d":1}', '\ufffd')).toEqual(text('1'))
    expect(extract('extractAsBytes', '{"\\/\\b\\f\\n\\r\\t\\"\\\\":1}', '/\b\f\n\r\t"\\')).toEqual(
      text('1'),
    )
  })

  test('accepts what JSON.parse accepts and refuses the rest, after any change to a document', () => {
    const seed = Date.now() % 2 ** 31
    const document = fc
      .dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 3 }), {
        minKeys: 1,
        maxKeys: 4,
      })
      .map((value) => ({ keys: Object.keys(value), text: JSON.stringify(value) }))
    const change = fc.option(
      fc.record({
        at: fc.nat(200),
        put: fc.constantFrom('', '"', '{', ']', ',', '\\', '0', ' ', '\n', 'e'),
      }),
    )
    fc.assert(
      fc.property(document, change, (made, edit) => {
        const cut = edit === null ? 0 : edit.at % (made.text.length + 1)
        const written =
          edit === null ? made.text : made.text.slice(0, cut) + edit.put + made.text.slice(cut + 1)
        const bytes = encoder.encode(written)
        const name = made.keys[0] as string
        // Compare bytes if a surrogate pair was cut in half.
        const got = extract('extractAsBytes', bytes, name)
        const model = modelOf(decoder.decode(bytes), decoder.decode(encoder.encode(name)))
        if (model === undefined) expect(got, written).toEqual({ reason: BROKEN })
        else if (model === null)
          expect('reason' in got && got.reason, written).toContain('has no member')
        else expect(JSON.parse(rawOf(got.value as `0x${string}`, model)), written).toEqual(model)
      }),
      { seed, numRuns: 400 },
    )
  })

  test('refuses nesting deeper than 512, and reads nesting of 512', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect(extract('extractAsBytes', nested(512), 'a')).toHaveProperty('value')
    expect(extract('extractAsBytes', nested(514), 'a')).toEqual({ reason: BROKEN })
  })
})

/** Returns undefined if the document is no JSON object, null if it lacks the member, else the member in a list. */
function modelOf(document: string, name: string): [unknown] | undefined | null {
  let value: unknown
  try {
    value = JSON.parse(document)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, name) ? [(value as Record<string, unknown>)[name]] : null
}

/** Returns the value as JSON, with the quotes restored. */
function rawOf(data: `0x${string}`, [model]: [unknown]): string {
  const raw = Buffer.from(data.slice(2), 'hex').toString()
  return typeof model === 'string' ? `["${raw}"]` : `[${raw}]`
}
