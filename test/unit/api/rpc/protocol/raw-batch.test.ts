import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  encodeId,
  isNotification,
  isValidMessage,
  parseRpcBody,
} from '../../../../../host/api/rpc/protocol/jsonrpc.ts'
import {
  type RawBatch,
  readRawBatch,
  SUBMIT_METHOD,
} from '../../../../../host/api/rpc/protocol/raw-batch.ts'
import { MAX_DEPTH, RequestScan } from '../../../../../host/api/rpc/protocol/request-scan.ts'
import { parseData } from '../../../../../host/base/hex.ts'
import { runSeed } from '../../../../support/random.ts'

/** Parses the same with JSON.parse. Returns undefined if a call is of another kind. */
function parsedBatch(body: Uint8Array): RawBatch | undefined {
  const scan = new RequestScan(body, { values: 1e6, depth: MAX_DEPTH })
  while (!scan.step());
  const parsed = parseRpcBody(body, scan)
  if (parsed.kind !== 'batch') return undefined
  const ids: string[] = []
  const raws: Uint8Array[] = []
  for (const message of parsed.messages) {
    const { method, params } = message
    if (!isValidMessage(message) || isNotification(message) || method !== SUBMIT_METHOD)
      return undefined
    if (!Array.isArray(params) || params.length !== 1) return undefined
    ids.push(encodeId(message))
    raws.push(parseData(params[0]))
  }
  return { ids, raws, values: scan.values }
}

const space = fc.constantFrom('', '', '', ' ', '\n', '\t ', '\r\n')
const id = fc.oneof(
  fc.nat().map(String),
  fc.constantFrom('0', '999999999999999', '""', '"~ x}],"'),
  fc.uuid().map((text) => JSON.stringify(text)),
)
const data = fc
  .uint8Array({ maxLength: 200 })
  .chain((bytes) =>
    fc
      .boolean()
      .map((upper) => Buffer.from(bytes).toString('hex')[upper ? 'toUpperCase' : 'toLowerCase']()),
  )

const call = fc.tuple(id, data, fc.infiniteStream(space)).chain(([id, digits, spaces]) => {
  const some = () => spaces.next().value as string
  const members = [
    ['"jsonrpc"', '"2.0"'],
    ['"id"', id],
    ['"method"', `"${SUBMIT_METHOD}"`],
    ['"params"', `[${some()}"0x${digits}"${some()}]`],
  ] as const
  return fc
    .shuffledSubarray([...members], { minLength: members.length })
    .map((ordered) =>
      ordered.map(([name, value]) => `${some()}${name}${some()}:${some()}${value}${some()}`),
    )
    .map((parts) => `{${parts.join(',')}}${some()}`)
})
const batch = fc.array(call, { minLength: 1, maxLength: 12 }).map((calls) => `[${calls.join(',')}]`)

describe('the fast parser for a batch of raw transactions', () => {
  const seed = runSeed()

  test(`agrees with JSON.parse; seed ${seed}`, () => {
    fc.assert(
      fc.property(batch, (text) => {
        const body = Buffer.from(text)
        expect(readRawBatch(body)).toEqual(parsedBatch(body))
        expect(readRawBatch(new Uint8Array(body))?.ids.length).toBeGreaterThan(0)
      }),
      { seed, numRuns: 300 },
    )
  })

  test(`agrees with JSON.parse after any change, or declines; seed ${seed}`, () => {
    let same = 0
    const change = fc.record({
      at: fc.nat(),
      gone: fc.nat({ max: 3 }),
      put: fc.oneof(
        fc.constantFrom(
          '',
          '"',
          '\\',
          ',',
          ':',
          '0',
          '-',
          '{}',
          '[',
          ']',
          'e',
          'é',
          'null',
          '"id":1,',
        ),
        fc.string({ maxLength: 3 }),
      ),
    })
    fc.assert(
      fc.property(batch, change, (text, { at, gone, put }) => {
        const place = at % (text.length + 1)
        const changed = text.slice(0, place) + put + text.slice(place + gone)
        const body = Buffer.from(changed)
        const read = readRawBatch(body)
        if (read === undefined) return
        same++
        expect(read).toEqual(parsedBatch(body))
      }),
      { seed, numRuns: 3000 },
    )
    expect(same).toBeGreaterThan(100)
  })

  test('declines a batch that is truncated, empty or too long', () => {
    const text = `[{"jsonrpc":"2.0","id":"a","method":"${SUBMIT_METHOD}","params":["0x1234"]}]`
    for (let end = 0; end < text.length; end++) {
      expect(readRawBatch(Buffer.from(text.slice(0, end)))).toBeUndefined()
    }
    expect(readRawBatch(Buffer.from('[]'))).toBeUndefined()
    expect(readRawBatch(Buffer.from(text))?.ids).toEqual(['"a"'])
    expect(readRawBatch(Buffer.from(text + ' '.repeat(1 << 17)))).toBeUndefined()
  })
})
