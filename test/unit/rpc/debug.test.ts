import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatData } from '../../../host/base/hex.ts'
import type { TraceSink } from '../../../host/engine/trace-event.ts'
import { FakeNode, RECIPIENT, SENDER, transaction } from '../../support/fake-chain.ts'

const failed = (message: string) => ({ error: { code: -32000, message } })
const one = transaction({ gas: 90_000n, value: 5n })
const hash = formatData(one.hash)

let node: FakeNode
let replayed: [number, number][]

function play(sink: TraceSink): void {
  sink.onEvent({
    kind: 'enter',
    type: 'CALL',
    depth: 0,
    from: SENDER,
    to: RECIPIENT,
    input: new Uint8Array(),
    gas: 69_000n,
    value: 5n,
  })
  sink.onEvent({
    kind: 'exit',
    depth: 0,
    gasUsed: 0n,
    output: new Uint8Array(),
    error: undefined,
    reverted: false,
  })
}

type Replay = (sink: TraceSink, signal: AbortSignal) => Promise<void>

function start(replay: Replay, limits = {}): void {
  replayed = []
  node = new FakeNode(limits, {
    replayer: {
      replay: async (height, index, sink, signal) => {
        replayed.push([height, index])
        await replay(sink, signal)
        return undefined as never
      },
    },
  })
  node.addBlock([{ transaction: transaction({ nonce: 8n }) }, { transaction: one }])
}

beforeEach(() => start(async (sink) => play(sink)))
afterEach(() => node.close())

const trace = (options?: unknown) =>
  node.call('debug_traceTransaction', options === undefined ? [hash] : [hash, options])

test('gives the frame with the limit of the transaction and the gas of the receipt', async () => {
  expect(await trace({ tracer: 'callTracer' })).toEqual({
    from: formatData(SENDER),
    gas: '0x15f90',
    gasUsed: '0x5208',
    to: formatData(RECIPIENT),
    input: '0x',
    value: '0x5',
    type: 'CALL',
  })
  expect(replayed).toEqual([[1, 1]])
})

test('names the tracers there are', async () => {
  expect(await trace()).toEqual(failed('tracer "default" is not available; available: callTracer'))
  expect(await trace({ tracer: 'fooTracer' })).toEqual(
    failed('tracer "fooTracer" is not available; available: callTracer'),
  )
  expect(await trace({ tracer: '' })).toEqual(failed('debug tracer name must not be empty'))
  expect(replayed).toEqual([])
})

test('checks its options', async () => {
  const bad = (message: string) => ({ error: { code: -32602, message } })
  expect(await trace({ tracer: 7 })).toEqual(
    bad('invalid argument 1: tracer: want a string, got number'),
  )
  expect(await trace({ timeout: 'soon' })).toEqual(
    bad('invalid argument 1: timeout: "soon" is not a duration'),
  )
  expect(await trace({ tracer: 'callTracer', tracerConfig: { withLog: 'yes' } })).toEqual(
    bad('withLog: want a boolean, got string'),
  )
})

test('knows what cannot be traced', async () => {
  expect(
    await node.call('debug_traceTransaction', [`0x${'00'.repeat(32)}`, { tracer: 'callTracer' }]),
  ).toEqual(failed('transaction not found'))
  node.close()
  start(async (sink) => play(sink), { traceLookbackBlocks: 1 })
  node.addBlock([])
  expect(await trace({ tracer: 'callTracer' })).toMatchObject({ type: 'CALL' })
  node.addBlock([])
  expect(await trace({ tracer: 'callTracer' })).toEqual({
    error: {
      code: -32000,
      message: 'block number 1 is beyond max lookback of 1',
      data: { key: 'evm.max_trace_lookback_blocks', limit: 1 },
    },
  })
})

test('stops at its time limit and names it', async () => {
  node.close()
  start(
    (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
  )
  expect(await trace({ tracer: 'callTracer', timeout: '10ms' })).toEqual({
    error: {
      code: -32000,
      message: 'trace timed out after 10 ms',
      data: { option: 'timeout', key: 'evm.trace_timeout', milliseconds: 10 },
    },
  })
})

test('runs so many at a time and refuses more', async () => {
  node.close()
  let release = () => undefined as undefined
  const held = new Promise<void>((resolve) => {
    release = () => {
      resolve()
      return undefined
    }
  })
  start(
    async (sink) => {
      await held
      play(sink)
    },
    { concurrentTraces: 1 },
  )
  const first = trace({ tracer: 'callTracer' })
  expect(await trace({ tracer: 'callTracer' })).toEqual(
    failed('trace request rejected due to concurrency limit: server busy'),
  )
  release()
  expect(await first).toMatchObject({ type: 'CALL' })
  expect(await trace({ tracer: 'callTracer' })).toMatchObject({ type: 'CALL' })
})
