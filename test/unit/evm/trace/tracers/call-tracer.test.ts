import { describe, expect, test } from 'vitest'
import { parseData } from '../../../../../host/base/hex.ts'
import type { FrameType, TraceEvent } from '../../../../../host/evm/engine/trace-event.ts'
import { CallTracer } from '../../../../../host/evm/trace/tracers/call-tracer.ts'

const address = (byte: string) => `0x${byte.repeat(20)}`
const A = address('aa')
const B = address('bb')
const C = address('cc')
const NOPE = `0x08c379a0${'20'.padStart(64, '0')}${'4'.padStart(64, '0')}6e6f7065${'00'.repeat(28)}`

function enter(depth: number, type: FrameType, from: string, to: string, extra = {}): TraceEvent {
  const {
    input = '0x',
    gas = 1000n,
    value = 0n,
  } = extra as {
    input?: string
    gas?: bigint
    value?: bigint | undefined
  }
  return {
    kind: 'enter',
    type,
    depth,
    from: parseData(from),
    to: parseData(to),
    input: parseData(input),
    gas,
    value: 'value' in extra ? value : type === 'STATICCALL' ? undefined : 0n,
  }
}

function exit(depth: number, output = '0x', error?: string, gasUsed = 10n): TraceEvent {
  const reverted = error === 'execution reverted'
  return { kind: 'exit', depth, gasUsed, output: parseData(output), error, reverted }
}

function log(emitter: string): TraceEvent {
  return {
    kind: 'log',
    address: parseData(emitter),
    topics: [parseData(`0x${'11'.repeat(32)}`)],
    data: parseData('0x01'),
  }
}

function trace(events: TraceEvent[], options = {}): unknown {
  const tracer = new CallTracer({ onlyTopCall: false, withLog: false, ...options })
  for (const event of events) tracer.onEvent(event)
  // Through JSON, so that member order and omissions are those that a client sees.
  return JSON.parse(JSON.stringify(tracer.finish(100_000n, 50_000n)))
}

const frame = (from: string, to: string, rest = {}) => ({
  from,
  gas: '0x3e8',
  gasUsed: '0xa',
  to,
  input: '0x',
  value: '0x0',
  type: 'CALL',
  ...rest,
})

const root = (rest = {}) => frame(A, B, { gas: '0x186a0', gasUsed: '0xc350', ...rest })
const logOf = (emitter: string, index: string, position: string) => ({
  address: emitter,
  topics: [`0x${'11'.repeat(32)}`],
  data: '0x01',
  index,
  position,
})

test("callTracer writes its members in geth's order", () => {
  const events = [
    enter(0, 'CALL', A, B, { input: '0x01', value: 7n }),
    log(B),
    enter(1, 'CALL', B, C),
    exit(1),
    exit(0, NOPE, 'execution reverted'),
  ]
  const failed = trace(events, { withLog: true }) as object
  expect(Object.keys(failed)).toEqual([
    'from',
    'gas',
    'gasUsed',
    'to',
    'input',
    'output',
    'error',
    'revertReason',
    'calls',
    'value',
    'type',
  ])
  const fine = trace([...events.slice(0, -1), exit(0, '0x02')], { withLog: true }) as object
  expect(Object.keys(fine)).toEqual([
    'from',
    'gas',
    'gasUsed',
    'to',
    'input',
    'output',
    'calls',
    'logs',
    'value',
    'type',
  ])
})

test('callTracer nests frames in execution order, with a value only for the kinds of calls that have one', () => {
  const result = trace([
    enter(0, 'CALL', A, B, { value: 9n }),
    enter(1, 'STATICCALL', B, C),
    exit(1, '0x2a'),
    enter(1, 'DELEGATECALL', B, C, { value: 9n }),
    enter(2, 'CREATE', B, C, { input: '0x6000', value: 1n }),
    exit(2, '0x00'),
    exit(1),
    enter(1, 'SELFDESTRUCT', B, A, { gas: 0n, value: 3n }),
    exit(1, '0x', undefined, 0n),
    exit(0),
  ])
  const { value: _, ...staticCall } = frame(B, C, { type: 'STATICCALL', output: '0x2a' })
  expect(result).toEqual(
    root({
      value: '0x9',
      calls: [
        staticCall,
        frame(B, C, {
          type: 'DELEGATECALL',
          value: '0x9',
          calls: [frame(B, C, { type: 'CREATE', input: '0x6000', output: '0x00', value: '0x1' })],
        }),
        frame(B, A, { type: 'SELFDESTRUCT', gas: '0x0', gasUsed: '0x0', value: '0x3' }),
      ],
    }),
  )
})

describe('failures in callTracer', () => {
  test('keep the data and reason of a revert', () => {
    expect(trace([enter(0, 'CALL', A, B), exit(0, NOPE, 'execution reverted')])).toEqual(
      root({ error: 'execution reverted', output: NOPE, revertReason: 'nope' }),
    )
  })

  test('have no reason for a revert with other data or none', () => {
    expect(trace([enter(0, 'CALL', A, B), exit(0, '0xcafe0001', 'execution reverted')])).toEqual(
      root({ error: 'execution reverted', output: '0xcafe0001' }),
    )
    expect(trace([enter(0, 'CALL', A, B), exit(0, '0x', 'execution reverted')])).toEqual(
      root({ error: 'execution reverted' }),
    )
  })

  test('have no output except for a revert', () => {
    expect(trace([enter(0, 'CALL', A, B), exit(0, '0x01', 'out of gas')])).toEqual(
      root({ error: 'out of gas' }),
    )
  })

  test.each(['CREATE', 'CREATE2'] as const)('have no address for a failed %s', (type) => {
    const result = trace([
      enter(0, 'CALL', A, B),
      enter(1, type, B, C),
      exit(1, '0x', 'contract address collision'),
      exit(0),
    ]) as { calls: object[] }
    const { to: _, ...expected } = frame(B, C, { type, error: 'contract address collision' })
    expect(result.calls).toEqual([expected])
  })
})

describe('logs in callTracer', () => {
  test('are in their frame with the number of calls before them', () => {
    const result = trace(
      [enter(0, 'CALL', A, B), log(B), enter(1, 'CALL', B, C), log(C), exit(1), log(B), exit(0)],
      { withLog: true },
    )
    expect(result).toEqual(
      root({
        calls: [frame(B, C, { logs: [logOf(C, '0x1', '0x0')] })],
        logs: [logOf(B, '0x0', '0x0'), logOf(B, '0x2', '0x1')],
      }),
    )
  })

  test('are removed from a failed frame and those below it', () => {
    const result = trace(
      [
        enter(0, 'CALL', A, B),
        log(B),
        enter(1, 'CALL', B, C),
        log(C),
        enter(2, 'CALL', C, A),
        log(A),
        exit(2),
        exit(1, '0x', 'out of gas'),
        exit(0),
      ],
      { withLog: true },
    )
    expect(result).toEqual(
      root({
        calls: [frame(B, C, { error: 'out of gas', calls: [frame(C, A)] })],
        logs: [logOf(B, '0x0', '0x0')],
      }),
    )
  })

  test('are numbered across transactions, and a failed frame releases its numbers', () => {
    const events = [
      enter(0, 'CALL', A, B),
      enter(1, 'CALL', B, C),
      log(C),
      exit(1, '0x', 'out of gas'),
      log(B),
      exit(0),
    ]
    expect(trace(events, { withLog: true, firstLogIndex: 16 })).toEqual(
      root({
        calls: [frame(B, C, { error: 'out of gas' })],
        logs: [logOf(B, '0x10', '0x1')],
      }),
    )
  })

  test('are omitted by default', () => {
    expect(trace([enter(0, 'CALL', A, B), log(B), exit(0)])).toEqual(root())
  })
})

test('callTracer with onlyTopCall omits nested frames and their logs', () => {
  const events = [
    enter(0, 'CALL', A, B),
    enter(1, 'CALL', B, C),
    log(C),
    exit(1, '0x', 'out of gas'),
    log(B),
    exit(0, '0x01'),
  ]
  expect(trace(events, { onlyTopCall: true, withLog: true })).toEqual(
    root({ output: '0x01', logs: [logOf(B, '0x0', '0x0')] }),
  )
})

test('callTracer has no frame before the root has ended', () => {
  const tracer = new CallTracer({ onlyTopCall: false, withLog: false })
  expect(() => tracer.finish(1n, 1n)).toThrow('the trace has no closed root frame')
  tracer.onEvent(enter(0, 'CALL', A, B))
  expect(() => tracer.finish(1n, 1n)).toThrow('the trace has no closed root frame')
})

test('callTracer refuses to keep more than its limit, and reports the key of the limit', () => {
  const big = { input: `0x${'00'.repeat(1000)}` }
  const calls = (count: number): TraceEvent[] => [
    enter(0, 'CALL', A, B),
    ...Array.from({ length: count }, () => [enter(1, 'CALL', B, C, big), exit(1)]).flat(),
    exit(0),
  ]
  // A frame counts 512 bytes when it begins and 512 when it ends, plus its data as hex.
  const limit = { maxBytes: 2 * 1024 + 2 * 2000 + 1024 }
  expect(trace(calls(2), limit)).toMatchObject({ type: 'CALL' })
  expect(() => trace(calls(3), limit)).toThrow(
    'the calls take more than 7072 bytes ([evm] max_trace_kept_bytes)',
  )
  expect(trace(calls(100), { ...limit, onlyTopCall: true })).toMatchObject({ type: 'CALL' })
})
