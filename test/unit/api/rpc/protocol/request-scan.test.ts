import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeId, parseRpcBody } from '../../../../../host/api/rpc/protocol/jsonrpc.ts'
import { readRawBatch } from '../../../../../host/api/rpc/protocol/raw-batch.ts'
import { MAX_DEPTH, RequestScan } from '../../../../../host/api/rpc/protocol/request-scan.ts'
import { parseUsualRequest } from '../../../../../host/api/rpc/protocol/usual-request.ts'
import { runSeed } from '../../../../support/random.ts'

const SEED = runSeed()

/** Returns the messages of a body as the node parses them. */
function messagesOf(body: Uint8Array) {
  const scan = new RequestScan(body, { values: 1 << 20, depth: MAX_DEPTH })
  while (!scan.step());
  const parsed = parseRpcBody(body, scan)
  if (parsed.kind === 'malformed') return []
  return parsed.kind === 'single' ? [parsed.message] : parsed.messages
}

const idsOf = (text: string) => messagesOf(Buffer.from(text)).map(encodeId)

test.each([
  [String.raw`{"\u0069d":1,"method":"m"}`, '1'],
  [String.raw`{"i\u0064":12345678901234567890}`, '12345678901234567890'],
  [String.raw`{"\u0069\u0064":"a"}`, '"a"'],
  [String.raw`{"id":1,"\u0069d":2}`, '2'],
  [String.raw`{"\u0069d":1,"id":2}`, '2'],
  [String.raw`{"id":1,"\u0069d":{}}`, 'null'],
  [String.raw`{"id":1,"\\u0069d":2}`, '1'],
  [String.raw`{"id":1,"i\"d":2}`, '1'],
  ['{"id":1,"ıd":2,"ID":3}', '1'],
  ['{"params":[{"id":2}],"id":1}', '1'],
])('the request id in %s is %s', (text, id) => expect(idsOf(text)).toEqual([id]))

/** A character of a name or a text, plain or in one of the escapes of JSON. */
const character = fc
  .tuple(fc.constantFrom(...'idmethoparsjnc"\\/\n{}[],: \u00e9\u{1f600}\ud800'), fc.nat(3))
  .map(([text, way]) => {
    const escaped = [...Array(text.length).keys()].map(
      (at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
    )
    if (way === 0) return escaped.join('')
    if (way === 1) return escaped.join('').toUpperCase().replaceAll('\\U', '\\u')
    return JSON.stringify(text).slice(1, -1)
  })
const string = fc.array(character, { maxLength: 6 }).map((parts) => `"${parts.join('')}"`)

/** A member name of the envelope in any spelling, or another name. */
const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('id', 'method', 'params', 'jsonrpc') },
  { weight: 1, arbitrary: fc.constantFrom('ID', 'i', 'idd', '__proto__', '') },
)
const spelled = fc.tuple(name, fc.infiniteStream(fc.boolean())).map(([text, coins]) => {
  const letters = [...text].map((letter) =>
    coins.next().value ? letter : `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `"${letters.join('')}"`
})
const scalar = fc.oneof(
  string,
  fc.integer().map(String),
  fc.constantFrom('12345678901234567890123', '1e3', '-0', '0.10', 'true', 'false', 'null', '"2.0"'),
)
const space = fc.constantFrom('', '', '', ' ', '\n', '\t', '\r ')

const { value, object } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  object: fc
    .array(fc.tuple(space, fc.oneof(spelled, string), space, tie('value'), space), { maxLength: 5 })
    .map((all) => `{${all.map(([a, n, b, v, c]) => `${a}${n}${b}:${v}${c}`).join(',')}}`),
  array: fc
    .array(fc.tuple(space, tie('value'), space), { maxLength: 4 })
    .map((all) => `[${all.map((parts) => parts.join('')).join(',')}]`),
  value: fc.oneof({ depthSize: 'small' }, scalar, tie('object'), tie('array')),
}))
const body = fc.oneof(
  object,
  fc.array(fc.oneof(object, value), { maxLength: 4 }).map((all) => `[${all.join(',')}]`),
)

/** Returns whether the id equals that of JSON.parse, with exact numbers compared as written. */
function agrees(id: string, parsed: unknown): boolean {
  const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
  const wanted = isObject ? Object.entries(parsed).find(([key]) => key === 'id')?.[1] : undefined
  if (wanted === undefined || typeof wanted === 'object') return id === 'null'
  return Object.is(JSON.parse(id), wanted)
}

test(`the scanner finds the ids of JSON.parse, even with repeated or escaped names; seed ${SEED}`, () => {
  fc.assert(
    fc.property(body, (text) => {
      const parsed: unknown = JSON.parse(text)
      const list = Array.isArray(parsed) ? parsed : [parsed]
      const ids = idsOf(text)
      expect(ids).toHaveLength(list.length)
      expect(ids.filter((id, at) => !agrees(id, list[at]))).toEqual([])
    }),
    { seed: SEED, numRuns: 3000 },
  )
})

test(`the fast scanner agrees with JSON.parse or declines; seed ${SEED}`, () => {
  const raw = fc.constantFrom('"0x01"', '"0x0"', String.raw`"0\u0078"`, '""', '7')
  const id = fc.oneof(fc.constantFrom('1', '"a"', String.raw`"\u0061"`, '01', '1e2'), scalar)
  const member = fc.oneof(
    spelled.map((text) => [text, '"2.0"']),
    fc.tuple(fc.constant('"id"'), id),
    fc.tuple(
      fc.constant('"params"'),
      fc.oneof(
        raw.map((one) => `[${one}]`),
        value,
      ),
    ),
    fc.constant(['"method"', '"eth_sendRawTransaction"']),
    fc.constant(['"jsonrpc"', '"2.0"']),
  )
  const whole = fc
    .tuple(id, raw, fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }))
    .map(([one, data, order]) => {
      const members = [
        ['"jsonrpc"', '"2.0"'],
        ['"id"', one],
        ['"method"', '"eth_sendRawTransaction"'],
        ['"params"', `[${data}]`],
      ]
      return order.map((at) => members[at] as string[])
    })
  const call = fc
    .oneof(whole, fc.array(member, { maxLength: 6 }))
    .map((all) => `{${all.map((pair) => pair.join(':')).join(',')}}`)
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 3 }), (calls) => {
      const batch = `[${calls.join(',')}]`
      const wanted = () => JSON.parse(batch) as Record<string, unknown>[]
      const read = readRawBatch(Buffer.from(batch))
      if (read !== undefined) {
        expect(read.ids.map((one) => JSON.parse(one))).toEqual(wanted().map((one) => one.id))
        const raws = read.raws.map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
        expect(raws).toEqual(wanted().map((one) => (one.params as string[])[0]))
      }
      for (const text of calls) {
        const usual = parseUsualRequest(text, new Map())
        if (usual === undefined) continue
        const { rawId: _, ...message } = usual
        expect(message).toEqual(JSON.parse(text))
      }
    }),
    { seed: SEED, numRuns: 2000 },
  )
})
