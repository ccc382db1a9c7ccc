import { keccak_256 } from '@noble/hashes/sha3.js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { StreamedAnswer } from '../../../../../host/api/rpc/protocol/streamed-answer.ts'
import { WorkScheduler } from '../../../../../host/api/server/work-scheduler.ts'
import { TraceCache, whole } from '../../../../../host/api/trace-pool/trace-cache.ts'
import type {
  TraceOutput,
  TraceRequest,
  TraceRunner,
} from '../../../../../host/api/trace-pool/trace-runner.ts'
import type { BorrowedView } from '../../../../../host/base/borrowed-view.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import type { TraceSink } from '../../../../../host/evm/engine/trace-event.ts'
import { BEGIN_BLOCK } from '../../../../../host/evm/execute/lockstep/begin-block.ts'
import { ChunkedJsonWriter } from '../../../../../host/evm/trace/json-writer.ts'
import { openTracer } from '../../../../../host/evm/trace/tracers/tracer-table.ts'
import {
  FakeNode,
  RECIPIENT,
  repeat,
  SENDER,
  transaction,
} from '../../../../support/chain/fake-chain.ts'
import { lend } from '../../../../support/lender.ts'
import { executed } from '../../../../support/trace/tracer-request.ts'

const failed = (message: string) => ({ error: { code: -32000, message } })
const bad = (message: string) => ({ error: { code: -32602, message } })
const one = transaction({ gas: 90_000n, value: 5n })
const hash = formatData(one.hash)
const UNKNOWN = `0x${'00'.repeat(32)}`

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

function* piecesOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Replays the events of a plain transfer to the tracer of each request, on this thread. */
class PlayingRunner implements TraceRunner {
  readonly requests: TraceRequest[] = []
  /** Size of the pieces of results in bytes. By default each result is one piece. */
  pieceBytes = 0

  async start(request: TraceRequest): Promise<TraceOutput> {
    this.requests.push(request)
    const { tracer: name, plan, config, limits } = request.job
    const chunks: Uint8Array[] = []
    const writer = new ChunkedJsonWriter((chunk) => chunks.push(chunk))
    const last = plan?.transactions.at(-1)
    const message = { input: last?.transaction ?? one, env: plan?.env as never, gasPrice: 1n }
    const asked = { message, config, limits, view: request.view, writer }
    const tracer = await openTracer(name, asked, keccak_256)
    play(tracer.sink)
    tracer.finish(executed(last?.gasUsed ?? 0n))
    writer.flush()
    const result = Buffer.concat(chunks)
    return this.pieceBytes === 0 ? result : lend(piecesOf(result, this.pieceBytes))
  }

  async close() {}
}

let node: FakeNode
let runner: PlayingRunner

function start(limits = {}, overrides = {}): void {
  runner = new PlayingRunner()
  node = new FakeNode(limits, { traces: runner, ...overrides })
  node.addBlock([{ transaction: transaction({ nonce: 8n }) }, { transaction: one }])
}

beforeEach(() => start())
afterEach(() => node.close())

const CALLER = {
  transport: 'http',
  signal: new AbortController().signal,
  subscriber: undefined,
  account: new WorkScheduler(1 << 28).account('192.0.2.1'),
} as const
const CALL = { tracer: 'callTracer' }
const trace = (options?: unknown) =>
  node.call('debug_traceTransaction', options === undefined ? [hash] : [hash, options])

const FRAME = {
  from: formatData(SENDER),
  gas: '0x15f90',
  gasUsed: '0x5208',
  to: formatData(RECIPIENT),
  input: '0x',
  value: '0x5',
  type: 'CALL',
}

describe('debug_traceTransaction', () => {
  test('returns the frame with the gas limit of the transaction and the gas of the receipt', async () => {
    expect(await trace(CALL)).toEqual(FRAME)
    const [{ job }] = runner.requests as [TraceRequest]
    expect(job.target).toEqual({ kind: 'transaction' })
    expect(job.plan).toMatchObject({ height: 1, systemCalls: BEGIN_BLOCK })
    expect(job.plan?.transactions.map(({ transaction: { nonce } }) => nonce)).toEqual([8n, 0n])
  })

  test('lists the available tracers in the error for an unknown one', async () => {
    const { error } = (await trace({ tracer: 'fooTracer' })) as { error: { message: string } }
    expect(error.message).toMatch(
      /^tracer "fooTracer" is not available; available: .*callTracer.*noopTracer/,
    )
    expect(await trace({ tracer: '' })).toEqual(failed('debug tracer name must not be empty'))
    expect(runner.requests).toEqual([])
  })

  test('runs scripts only if they are allowed', async () => {
    node.close()
    start({ traceScripts: false })
    expect(await trace({ tracer: '{ result: function () {} }' })).toMatchObject(
      failed('JavaScript tracers are disabled'),
    )
    expect(await trace(CALL)).toEqual(FRAME)
  })

  test('refuses invalid options', async () => {
    expect(await trace({ tracer: 7 })).toEqual(
      bad('invalid argument 1: want a string, got number (tracer)'),
    )
    expect(await trace({ timeout: 'soon' })).toEqual(failed('time: invalid duration "soon"'))
    expect(await trace({ enableMemory: 1 })).toEqual(
      bad('invalid argument 1: want a boolean, got number (enableMemory)'),
    )
    expect(await trace({ limit: -1 })).toEqual(
      bad('invalid argument 1: want a count, got number (limit)'),
    )
    expect(await trace({ ...CALL, tracerConfig: { withLog: 'yes' } })).toEqual(
      bad('withLog: want a boolean, got string'),
    )
  })

  test('refuses to replace the rules of the chain', async () => {
    expect(await trace({ ...CALL, overrides: {} })).toEqual(FRAME)
    expect(await trace({ ...CALL, overrides: { londonBlock: 0 } })).toMatchObject(
      failed("overrides of the chain's rules are not supported: londonBlock"),
    )
    expect(await trace({ ...CALL, overrides: 7 })).toEqual(
      bad('invalid argument 1: want an object, got number (overrides)'),
    )
  })

  test('passes the options of the struct logger to it only, above those of tracerConfig', async () => {
    const options = {
      tracerConfig: { withLog: true, enableMemory: true, limit: 7 },
      enableMemory: false,
      disableStorage: true,
      reexec: 128,
    }
    await trace(options)
    await trace({ ...options, tracer: 'opcodeTracer' })
    await trace({ ...options, tracer: 'prestateTracer' })
    const logger = { withLog: true, enableMemory: false, disableStorage: true, limit: 7 }
    expect(runner.requests.map(({ job }) => job.config)).toEqual([
      logger,
      logger,
      options.tracerConfig,
    ])
  })

  test('uses the timeout option up to the limit of the node', async () => {
    await trace({ ...CALL, timeout: '10ms' })
    await trace({ ...CALL, timeout: '1h', tracerConfig: {} })
    expect(runner.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([10, 30_000])
    const error = runner.requests[1]?.expired('replay')
    expect(error).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: 'trace timed out after 30s',
      data: { elapsed: '30s', phase: 'replay', option: 'timeout', key: 'evm.trace_timeout' },
    })
  })

  test('reports transactions that cannot be traced', async () => {
    expect(await node.call('debug_traceTransaction', [UNKNOWN, CALL])).toEqual(
      failed('transaction not found'),
    )
    node.close()
    start({ traceLookbackBlocks: 1 })
    node.addBlock([])
    expect(await trace(CALL)).toEqual(FRAME)
    node.addBlock([])
    const tooOld = {
      error: {
        code: -32000,
        message: 'block number 1 is beyond max lookback of 1',
        data: { key: 'evm.max_trace_lookback_blocks', limit: 1 },
      },
    }
    expect(await trace(CALL)).toEqual(tooOld)
    expect(await node.call('debug_traceBlockByNumber', ['0x1', CALL])).toEqual(tooOld)
    expect(await node.call('debug_traceCall', [{}, '0x1', CALL])).toEqual(tooOld)
  })
})

describe('debug_traceBlock', () => {
  test('accepts a number, a tag or a hash, with all transactions', async () => {
    const { hash: blockHash } = node.chain.header(1) as { hash: Uint8Array }
    await node.call('debug_traceBlockByNumber', ['0x1', CALL])
    await node.call('debug_traceBlockByNumber', ['latest', CALL])
    await node.call('debug_traceBlockByHash', [formatData(blockHash), CALL])
    expect(runner.requests.map(({ job }) => [job.target.kind, job.plan?.height])).toEqual([
      ['block', 1],
      ['block', 1],
      ['block', 1],
    ])
    expect(runner.requests[0]?.job.plan?.transactions).toHaveLength(2)
  })

  test('refuses the genesis block and unknown blocks', async () => {
    expect(await node.call('debug_traceBlockByNumber', ['earliest', CALL])).toEqual(
      failed('genesis is not traceable'),
    )
    expect(await node.call('debug_traceBlockByNumber', ['0x9', CALL])).toEqual(
      failed('block #9 not found'),
    )
    expect(await node.call('debug_traceBlockByHash', [UNKNOWN, CALL])).toEqual(
      failed(`block 0x${'00'.repeat(32)} not found`),
    )
  })
})

describe('debug_traceCall', () => {
  const to = formatData(RECIPIENT)

  test('runs on the state after the block, with the default gas', async () => {
    expect(await node.call('debug_traceCall', [{ to }, '0x1', CALL])).toMatchObject({
      gas: '0x15f90',
    })
    const [{ job }] = runner.requests as [TraceRequest]
    expect(job.plan).toBeUndefined()
    expect(job.target).toMatchObject({
      kind: 'call',
      call: { priced: false, input: { gas: 50_000_000n }, env: { number: 1, baseFee: 0n } },
    })
  })

  test('runs in the middle of the block with txIndex', async () => {
    await node.call('debug_traceCall', [{ to }, 'latest', { ...CALL, txIndex: '0x1' }])
    await node.call('debug_traceCall', [{ to }, 'latest', { ...CALL, txIndex: 0 }])
    expect(runner.requests.map(({ job }) => job.plan?.transactions.length)).toEqual([1, 0])
    expect(await node.call('debug_traceCall', [{ to }, 'latest', { ...CALL, txIndex: 2 }])).toEqual(
      failed('transaction index 2 out of range for block #1'),
    )
  })

  test('accepts overrides of the block and the state', async () => {
    const options = {
      ...CALL,
      stateOverrides: { [to]: { balance: '0x7' } },
      blockOverrides: { number: '0x64' },
    }
    await node.call('debug_traceCall', [{ to, gasPrice: '0x1' }, 'latest', options])
    expect(runner.requests[0]?.job.target).toMatchObject({
      call: { priced: true, env: { number: 100 }, stateOverrides: [{ balance: 7n }] },
    })
  })

  test('has the limits of a simulation', async () => {
    node.close()
    start({ overrideAccounts: 1, simulationGas: 50_000n })
    const overrides = { [to]: { nonce: '0x1' }, [formatData(repeat(1, 20))]: { nonce: '0x1' } }
    expect(
      await node.call('debug_traceCall', [
        { to },
        'latest',
        { ...CALL, stateOverrides: overrides },
      ]),
    ).toEqual(failed('state override has too many accounts (2 > 1)'))
    await node.call('debug_traceCall', [{ to }, 'latest', CALL])
    expect(runner.requests[0]?.job.target).toMatchObject({ call: { input: { gas: 50_000n } } })
  })

  test('refuses more gas than the cap and names its key', async () => {
    node.close()
    start({ simulationGas: 50_000n })
    const key = 'evm.simulation_gas_limit'
    expect(await node.call('debug_traceCall', [{ to, gas: '0xc351' }, 'latest', CALL])).toEqual({
      error: {
        code: -32000,
        message: `gas 50001 is above the cap of 50000 for simulations (${key})`,
        data: { key, limit: '0xc350', gas: '0xc351' },
      },
    })
    expect(runner.requests).toEqual([])
  })
})

test('debug_traceTransactionProfile includes the time before the run', async () => {
  await node.call('debug_traceTransactionProfile', [hash, CALL])
  expect(runner.requests[0]?.job.target).toEqual({
    kind: 'transaction',
    profile: {
      startedAt: expect.any(Number),
      lookupTransactionNanos: expect.any(Number),
      loadBlockNanos: expect.any(Number),
      buildBlockContextNanos: expect.any(Number),
    },
  })
})

describe('the cache of trace results', () => {
  test('stores short results as text, and results beyond the response limit are streamed', async () => {
    node.close()
    start()
    const asked = { jsonrpc: '2.0', id: 1, method: 'debug_traceTransaction', params: [hash, CALL] }
    const ask = () => node.dispatcher.answer(Buffer.from(JSON.stringify(asked)), CALLER)
    const text = await ask()
    expect(JSON.parse(text as string)).toEqual({ jsonrpc: '2.0', id: 1, result: FRAME })
    node.close()
    start({ responseBytes: 10 })
    const streamed = await ask()
    expect(streamed).toBeInstanceOf(StreamedAnswer)
    const parts: Uint8Array[] = []
    for await (const { borrowed } of streamed as StreamedAnswer)
      parts.push(new Uint8Array(borrowed))
    expect(Buffer.concat(parts).toString()).toBe(text)
  })

  test('uses block, transaction, tracer and options as key', async () => {
    node.close()
    const lookups: boolean[] = []
    start({}, { traceCache: new TraceCache(1 << 20, (isHit) => lookups.push(isHit)) })
    const first = await trace(CALL)
    expect(await trace(CALL)).toEqual(first)
    expect(runner.requests).toHaveLength(1)
    await trace({ tracer: 'noopTracer' })
    await trace({ ...CALL, tracerConfig: { onlyTopCall: true } })
    await node.call('debug_traceBlockByNumber', ['0x1', CALL])
    await node.call('debug_traceBlockByNumber', ['latest', CALL])
    expect(lookups).toEqual([false, true, false, false, false, true])
    expect(runner.requests).toHaveLength(4)
  })

  test.each([0, 1, 7])('returns results unchanged, in pieces of %i bytes', async (size) => {
    node.close()
    start({}, { traceCache: new TraceCache(1 << 20) })
    runner.pieceBytes = size
    expect([await trace(CALL), await trace(CALL)]).toEqual([FRAME, FRAME])
    expect(runner.requests).toHaveLength(1)
  })

  test('excludes results that are too long, aborted or not read to the end', async () => {
    const cache = new TraceCache(16 * 100)
    const read = async (key: string, chunks = whole(Buffer.alloc(100, 0x31))) => {
      for await (const _ of cache.collect(key, chunks));
      return cache.get(key)?.length
    }
    expect(await read('short')).toBe(100)
    expect(await read('long', whole(Buffer.alloc(101)))).toBeUndefined()
    async function* broken(): AsyncGenerator<BorrowedView, Error | undefined> {
      yield { borrowed: Buffer.alloc(1) }
      return new Error('broke off')
    }
    expect(await read('broken', broken())).toBeUndefined()
    const left = cache.collect('left', whole(Buffer.alloc(1)))
    await left.next()
    await left.return()
    expect(cache.get('left')).toBeUndefined()
    cache.keep('whole', Buffer.alloc(101))
    expect(cache.get('whole')).toBeUndefined()
    cache.keep('whole', Buffer.alloc(100))
    expect(cache.get('whole')?.length).toBe(100)
    // The most recently used ones remain: sixteen of a hundred bytes each.
    for (let i = 0; i < 16; i++) await read(`other ${i}`)
    expect([cache.get('short'), cache.get('other 0')?.length]).toEqual([undefined, 100])
  })
})
