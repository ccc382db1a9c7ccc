import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseStrictJson } from '../../../../host/payments/protocol/strict-json.ts'
import { runSeed } from '../../../support/random.ts'

const SEED = runSeed()

test(`strict JSON accepts what JSON.parse accepts (seed ${SEED})`, () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      fc.pre(!/"(?:__proto__|constructor|prototype)"/.test(text))
      expect(parseStrictJson(text)).toEqual(JSON.parse(text))
      expect(parseStrictJson(` ${JSON.stringify(JSON.parse(text), undefined, 2)}\n`)).toEqual(
        JSON.parse(text),
      )
    }),
    { seed: SEED, numRuns: 300 },
  )
})

test(`strict JSON refuses what JSON.parse refuses, after any damage (seed ${SEED})`, () => {
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 4 }),
      fc.nat(),
      fc.string({ maxLength: 3 }),
      (text, at, put) => {
        const place = at % (text.length + 1)
        const damaged = text.slice(0, place) + put + text.slice(place + 1)
        let isJson = true
        try {
          JSON.parse(damaged)
        } catch {
          isJson = false
        }
        if (!isJson) expect(() => parseStrictJson(damaged)).toThrow()
      },
    ),
    { seed: SEED, numRuns: 500 },
  )
})

test.each([
  ['{"a":1,"a":2}', 'the member "a" twice'],
  ['{"a":1,"\\u0061":2}', 'the member "\\u0061" twice'],
  ['{"b":{"a":1,"a":1}}', 'the member "a" twice'],
  ['{"__proto__":{}}', 'a member named __proto__'],
  ['{"\\u005f_proto__":{}}', 'a member named __proto__'],
  ['{"constructor":{}}', 'a member named constructor'],
  ['{"prototype":1}', 'a member named prototype'],
  ['{} {}', 'text after the JSON, at 3'],
  ['', 'no JSON at 0'],
  ['01', 'text after the JSON, at 1'],
  ['.5', 'no JSON at 0'],
  ['+1', 'no JSON at 0'],
  ['NaN', 'no JSON at 0'],
  ["{'a':1}", 'no name of a member at 1'],
  ['{"a":1,}', 'no name of a member at 7'],
  ['[1,]', 'no JSON at 3'],
  ['{"a" 1}', 'no colon at 5'],
  ['{"a":1', 'an object that does not end at 6'],
  ['[1', 'an array that does not end at 2'],
  ['"\u0000"', 'a string with a wrong character or escape'],
  ['"\\x"', 'a string with a wrong character or escape'],
  ['\u00a01', 'no JSON at 0'],
  ['['.repeat(40), 'JSON of more than 32 levels'],
])('strict JSON refuses %j: %s', (text, message) => {
  expect(() => parseStrictJson(text)).toThrow(message)
})

test('a parsed object has only its own members', () => {
  const parsed = parseStrictJson('{"toString":1}') as object
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
  expect(Object.keys(parsed)).toEqual(['toString'])
})
