import { expect, test } from 'vitest'
import type { TraceEvent } from '../../../../../host/evm/engine/trace-event.ts'
import { flatCallTracer } from '../../../../../host/evm/trace/tracers/flat-call-tracer.ts'
import { fourByteTracer } from '../../../../../host/evm/trace/tracers/four-byte-tracer.ts'
import { enter, executed, exit, requestOf } from '../../../../support/trace/tracer-request.ts'

const A = `0x${'aa'.repeat(20)}`
const B = `0x${'bb'.repeat(20)}`
const SHA256 = `0x${'00'.repeat(19)}02`
const PLACE = {
  blockHash: `0x${'01'.repeat(32)}`,
  blockNumber: 7,
  transactionHash: `0x${'02'.repeat(32)}`,
  transactionPosition: 3,
}
const EVENTS: readonly TraceEvent[] = [
  enter(0, 'CALL', A, B, '0x11223344'),
  enter(1, 'STATICCALL', B, SHA256, '0x55667788'),
  exit(1, '0x2a'),
  enter(1, 'STATICCALL', B, A, '0xdeadbeef00'),
  exit(1, '0x', 'invalid jump destination'),
  enter(1, 'CREATE2', B, A, '0x99887766'),
  exit(1, '0x00'),
  enter(1, 'SELFDESTRUCT', B, A),
  exit(1),
  exit(0, '0x', 'execution reverted'),
]

const child = (traceAddress: number[], type: string, action: object, rest: object) => ({
  action,
  ...PLACE,
  ...rest,
  subtraces: 0,
  traceAddress,
  type,
})
const call = { callType: 'staticcall', from: B, gas: '0x3e8', value: '0x0' }

test('flatCallTracer gives a simulated call no transaction index', () => {
  const { request, result } = requestOf()
  const { position: _, ...message } = request.message
  const tracer = flatCallTracer({ ...request, message })
  tracer.sink.onEvent(enter(0, 'CALL', A, B))
  tracer.sink.onEvent(exit(0))
  tracer.finish(executed(21_000n))
  const NOWHERE = { blockHash: null, transactionHash: null, transactionPosition: 0 }
  expect(result()).toEqual([expect.objectContaining({ ...NOWHERE, blockNumber: 0 })])
})

test('flatCallTracer lists frames by their trace address, without calls of precompiles', () => {
  const { request, result } = requestOf()
  const tracer = flatCallTracer(request)
  for (const event of EVENTS) tracer.sink.onEvent(event)
  tracer.finish(executed(21_000n))
  expect(result()).toEqual([
    {
      action: {
        callType: 'call',
        from: A,
        gas: '0x186a0',
        input: '0x11223344',
        to: B,
        value: '0x0',
      },
      ...PLACE,
      error: 'execution reverted',
      result: { gasUsed: '0x5208', output: '0x' },
      subtraces: 3,
      traceAddress: [],
      type: 'call',
    },
    child(
      [0],
      'call',
      { ...call, input: '0xdeadbeef00', to: A },
      { error: 'invalid jump destination' },
    ),
    child(
      [1],
      'create',
      { creationMethod: 'create2', from: B, gas: '0x3e8', init: '0x99887766', value: '0x0' },
      { result: { address: A, code: '0x00', gasUsed: '0xa' } },
    ),
    child([2], 'suicide', { address: B, balance: '0x0', refundAddress: A }, {}),
  ])
})

test("flatCallTracer shows precompiles and Parity's error names on request", () => {
  const { request, result } = requestOf({ includePrecompiles: true, convertParityErrors: true })
  const tracer = flatCallTracer(request)
  for (const event of EVENTS) tracer.sink.onEvent(event)
  tracer.finish(executed(21_000n))
  const frames = result() as { error?: string; subtraces: number; action: { to?: string } }[]
  expect(frames.map(({ error }) => error)).toEqual([
    'Reverted',
    undefined,
    'Bad jump destination',
    undefined,
    undefined,
  ])
  expect(frames[0]?.subtraces).toBe(4)
  expect(frames[1]?.action.to).toBe(SHA256)
})

test('4byteTracer counts selectors of calls, not of precompiles or creations', () => {
  const { request, result } = requestOf()
  const tracer = fourByteTracer(request)
  for (const event of [...EVENTS, ...EVENTS.slice(1, 5)]) tracer.sink.onEvent(event)
  tracer.finish(executed(21_000n))
  expect(result()).toEqual({ '0x11223344-0': 1, '0xdeadbeef-1': 2 })
})
