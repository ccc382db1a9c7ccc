import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRpcBody } from '../../../../../host/api/rpc/protocol/jsonrpc.ts'
import { MAX_DEPTH, RequestScan } from '../../../../../host/api/rpc/protocol/request-scan.ts'
import { parseUsualRequest } from '../../../../../host/api/rpc/protocol/usual-request.ts'
import { runSeed } from '../../../../support/random.ts'

/** Parses a body as one without the usual shape. */
function readAny(text: string) {
  const body = Buffer.from(text)
  const scan = new RequestScan(body, { values: 1 << 20, depth: MAX_DEPTH })
  while (!scan.step());
  return parseRpcBody(body, scan)
}

const seed = runSeed()

/** The fast parser knows some of the methods. */
const NAMES = new Map([['eth_call', 'eth_call']])

const id = fc.oneof(
  fc.nat().map(String),
  fc.constantFrom(
    '0',
    '00',
    '01',
    '-1',
    '1.0',
    '1e3',
    '999999999999999',
    '9007199254740993',
    '"a"',
    'null',
    '{}',
  ),
)
const method = fc.oneof(
  fc.constantFrom('eth_call', 'eth_chainId', '', 'a"b', 'a\\u0041', '__proto__'),
  fc.string({ maxLength: 6 }),
)
const params = fc.oneof(
  fc.constantFrom(
    '[]',
    '[ ]',
    '["0x1",]',
    '["a],"]',
    '[{"to":"0x1"},"latest"]',
    '{}',
    '[[1]]',
    '[{"a":[1]}]',
    '[},{]',
    '[{"__proto__":1}]',
  ),
  fc
    .array(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 })))
    .map((list) => JSON.stringify(list)),
)
const text = fc
  .record({
    id,
    method,
    params,
    isIdFirst: fc.boolean(),
    noise: fc.constantFrom('', '', '', ' ', ',"id":7', '}'),
  })
  .map(({ id, method, params, isIdFirst, noise }) =>
    isIdFirst
      ? `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}${noise}}`
      : `{"method":"${method}","params":${params},"id":${id}${noise},"jsonrpc":"2.0"}`,
  )

describe('the fast parser for a usual request', () => {
  test(`agrees with the general one (LOCKSTEP_SEED=${seed})`, () => {
    let usual = 0
    fc.assert(
      fc.property(text, (body) => {
        const message = parseUsualRequest(body, NAMES)
        if (message === undefined) return
        usual++
        expect(readAny(body)).toEqual({ kind: 'single', message })
      }),
      { seed, numRuns: 5_000 },
    )
    expect(usual).toBeGreaterThan(100)
  })

  test('accepts the requests of the usual clients', () => {
    const call =
      '[{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","data":"0x70a08231"},"latest"]'
    for (const [params, method] of [
      ['[]', 'eth_chainId'],
      [call, 'eth_call'],
    ] as const) {
      const expected = { jsonrpc: '2.0', id: 7, method, params: JSON.parse(params), rawId: '7' }
      const idFirst = `{"jsonrpc":"2.0","id":7,"method":"${method}","params":${params}}`
      const methodFirst = `{"method":"${method}","params":${params},"id":7,"jsonrpc":"2.0"}`
      for (const body of [idFirst, methodFirst])
        expect(parseUsualRequest(body, NAMES)).toEqual(expected)
    }
  })

  // A parser with quadratic time takes minutes here and exceeds the test's time limit.
  test('takes time linear in the bytes', () => {
    for (const filling of ['{}', '{', '}', '[', 'a', '"', '{a}a']) {
      parseUsualRequest(
        `{"jsonrpc":"2.0","id":1,"method":"a","params":[${filling.repeat(300_000)}`,
        NAMES,
      )
      parseUsualRequest(`{"method":"a","params":[${filling.repeat(300_000)}`, NAMES)
    }
  })
})
