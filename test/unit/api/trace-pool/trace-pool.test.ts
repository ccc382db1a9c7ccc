import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { TraceAttempts } from '../../../../host/api/trace-pool/trace-attempts.ts'
import { MAX_CHUNKS, TRACE_WINDOW_CHUNKS } from '../../../../host/api/trace-pool/trace-messages.ts'
import { TracePool, type TracePoolOptions } from '../../../../host/api/trace-pool/trace-pool.ts'
import type { TraceRequest } from '../../../../host/api/trace-pool/trace-runner.ts'
import type { BorrowedView } from '../../../../host/base/borrowed-view.ts'
import { bigintToBytes } from '../../../../host/base/bytes.ts'
import { LockstepError } from '../../../../host/base/error.ts'
import type { JsonChunks } from '../../../../host/base/json-chunks.ts'
import { logsDigest } from '../../../../host/evm/chain-types/log.ts'
import type { EngineModules } from '../../../../host/evm/engine/engine-modules.ts'
import type { PlannedTransaction } from '../../../../host/evm/execute/replay/replay-plan.ts'
import type { TraceJob, TraceTarget } from '../../../../host/evm/trace/job/trace-job.ts'
import { CHUNK_BYTES } from '../../../../host/evm/trace/json-writer.ts'
import { compileEngine } from '../../../../host/node/wasm.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import { BLOCK, CONTRACT, transaction } from '../../../support/engine/engine-fixture.ts'
import {
  callJob,
  drain,
  ENDLESS,
  GAS,
  readingLoop,
  request,
  resultOf,
} from '../../../support/node/pool-request.ts'
import { until } from '../../../support/until.ts'

const SCRIPT = new URL('stubborn-trace-worker.ts', import.meta.url)

let modules: EngineModules
const pools: TracePool[] = []
let shared: TracePool | undefined
let ends: string[]
let loads: [number, number][]
let deaths: LockstepError[]
let differences: LockstepError[]

beforeAll(async () => {
  modules = await compileEngine()
})

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close()
})

afterAll(() => shared?.close())

function forget(): void {
  ends = []
  loads = []
  deaths = []
  differences = []
}

function make(options: Partial<TracePoolOptions>): TracePool {
  return new TracePool({
    modules,
    turnMs: 100,
    threads: 1,
    scriptThreads: 1,
    scriptBytes: 64 << 20,
    maxTraces: 0,
    observer: {
      onLoad: (queued, running) => loads.push([queued, running]),
      onEnd: (end) => ends.push(end),
      onDifference: (error) => differences.push(error),
      onDeath: (error) => deaths.push(error),
    },
    ...options,
  })
}

/** Opens a pool that is closed when the test ends. */
function open(options: Partial<TracePoolOptions> = {}): TracePool {
  forget()
  const pool = make(options)
  pools.push(pool)
  return pool
}

/** Returns the pool shared by all tests that do not change it: a thread takes a while to start. */
function common(): TracePool {
  forget()
  shared ??= make({})
  return shared
}

const WINDOW_BYTES = TRACE_WINDOW_CHUNKS * CHUNK_BYTES

/** Starts a trace whose output is too long for one piece. */
async function startLong(pool: TracePool, asked: TraceRequest): Promise<JsonChunks> {
  const output = await pool.start(asked)
  if (output instanceof Uint8Array) throw new Error(`the output is whole: ${output.length} bytes`)
  return output
}

/** Opens a pool whose thread has started. */
async function openWarm(options: Partial<TracePoolOptions> = {}): Promise<TracePool> {
  const pool = open(options)
  await resultOf(await pool.start(request(readingLoop(1))))
  return pool
}

/** Returns the reads of a paused trace: another trace has run on its thread meanwhile without any further read. */
async function readsWhenPaused(
  pool: TracePool,
  { view }: ReturnType<typeof request>,
): Promise<number> {
  for (;;) {
    const { reads } = view
    await resultOf(await pool.start(request(readingLoop(5))))
    if (view.reads === reads) return reads
  }
}

/** Returns a job about calls of the contract, with their outcomes when they were mined. */
function minedJob(
  kind: 'transaction' | 'block',
  outcomes: readonly Pick<PlannedTransaction, 'gasUsed' | 'outcome'>[],
): TraceJob {
  const transactions = outcomes.map((came, i) => {
    const input = transaction({ gas: GAS, maxFeePerGas: 0n, nonce: BigInt(i) })
    return { transaction: { ...input, hash: bigintToBytes(BigInt(i), 32) } as never, ...came }
  })
  return {
    ...callJob('callTracer'),
    target: { kind },
    plan: {
      height: 1,
      blockHash: new Uint8Array(32),
      env: { ...BLOCK, gasLimit: GAS, baseFee: 0n, revision: 'Prague' },
      systemCalls: [],
      transactions,
    },
  }
}

describe('a trace on a thread', () => {
  test('reads its state from the main thread', async () => {
    const pool = common()
    const asked = request(readingLoop(10), { job: callJob('callTracer') })
    const frame = await resultOf(await pool.start(asked))
    expect(frame).toMatchObject({ type: 'CALL', input: '0x' })
    // Two accounts, a code, ten slots, and the coinbase.
    expect(asked.view.reads).toBe(14)
    expect(ends).toEqual(['done'])
    expect(loads.at(-1)).toEqual([0, 0])
  })

  test('fails with the error of the state', async () => {
    const pool = common()
    const asked = request(readingLoop(10))
    const data = { requested: 1, earliest: 7 }
    asked.view.storage = () => {
      throw new LockstepError('STATE_PRUNED', 'gone meanwhile', { data })
    }
    await expect(pool.start(asked)).rejects.toMatchObject({
      code: 'STATE_PRUNED',
      message: 'gone meanwhile',
      data,
    })
    expect(ends).toEqual(['failed'])
  })

  test('fails with the error of its tracer, and the thread goes on', async () => {
    const pool = common()
    const job = callJob('callTracer', { withLog: 7 })
    await expect(pool.start(request(ENDLESS, { job }))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'withLog: want a boolean, got number',
    })
    expect(await resultOf(await pool.start(request(readingLoop(1))))).toEqual({})
    expect([ends, deaths]).toEqual([['failed', 'done'], []])
  })

  test.each(['callTracer', 'flatCallTracer', 'muxTracer', '4byteTracer', 'opcodeTracer'])(
    'that the protocol refuses fails with the reason, also under %s',
    async (tracer) => {
      const pool = common()
      const config = tracer === 'muxTracer' ? { callTracer: {} } : {}
      const refused = async (fields: Parameters<typeof transaction>[0]) => {
        const call = { input: transaction(fields), env: BLOCK, priced: true, stateOverrides: [] }
        const job = { ...callJob(tracer), config, target: { kind: 'call', call } } as const
        await pool.start(request(ENDLESS, { job }))
      }
      await expect(refused({ gas: 21_000n, maxFeePerGas: 7n, value: 10n ** 25n })).rejects.toThrow(
        /^tracing failed: insufficient funds for gas \* price \+ value: address 0x0*1111 have/,
      )
      await expect(refused({ gas: 1n, maxFeePerGas: 7n })).rejects.toThrow(
        'tracing failed: intrinsic gas too low: have 1, want 21000',
      )
    },
  )

  test('sees overrides of the state', async () => {
    const pool = common()
    const job = callJob('callTracer')
    const code = assemble(42, 0, 'MSTORE', 32, 0, 'RETURN')
    const overrides = {
      address: CONTRACT,
      balance: undefined,
      nonce: undefined,
      code,
      state: undefined,
      stateDiff: undefined,
      movePrecompileTo: undefined,
    }
    const { call } = job.target as TraceTarget & { kind: 'call' }
    const target = { kind: 'call', call: { ...call, stateOverrides: [overrides] } } as const
    const frame = await resultOf(await pool.start(request(ENDLESS, { job: { ...job, target } })))
    expect(frame.output).toBe(`0x${'2a'.padStart(64, '0')}`)
  })
})

describe('a slow reader of a trace', () => {
  const STEPS = callJob('opcodeTracer', { disableStorage: true })

  test('pauses the engine, with constant memory', async () => {
    const pool = common()
    const turns = 36_000
    const asked = request(readingLoop(turns), { job: STEPS })
    const before = process.memoryUsage().arrayBuffers
    const output = await startLong(pool, asked)
    const first = await output.next()
    expect(first.done).toBe(false)
    expect(await readsWhenPaused(pool, asked)).toBeLessThan(turns / 2)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * WINDOW_BYTES)
    let size = (first.value as BorrowedView).borrowed.length
    for (;;) {
      const step = await output.next()
      if (step.done === true) {
        expect(step.value).toBeUndefined()
        break
      }
      size += step.value.borrowed.length
    }
    expect(asked.view.reads).toBe(turns + 4)
    expect(size).toBeGreaterThan(8 * WINDOW_BYTES)
    expect(ends.at(-1)).toBe('done')
  }, 120_000)

  test('owns each piece until it requests the next, and gets none twice', async () => {
    const pool = common()
    const turns = 12_000
    const asked = request(readingLoop(turns), { job: STEPS })
    const output = await startLong(pool, asked)
    const first = (await output.next()).value as BorrowedView
    const text = Buffer.from(first.borrowed).toString()
    // Meanwhile the thread has continued as far as it may.
    await readsWhenPaused(pool, asked)
    expect(Buffer.from(first.borrowed).toString()).toBe(text)
    const rest = await drain(output)
    expect(first.borrowed).toHaveLength(0)
    const { structLogs } = JSON.parse(text + rest.text) as { structLogs: { gas: number }[] }
    expect(structLogs).toHaveLength(turns * 11 + 2)
    const rising = structLogs.findIndex(({ gas }, i) => gas >= (structLogs[i - 1]?.gas ?? Infinity))
    expect(rising).toBe(-1)
  })

  test('reuses a few buffers', async () => {
    const pool = open()
    const output = await startLong(pool, request(readingLoop(28_000), { job: STEPS }))
    let chunks = 0
    let fresh = 0
    for (let step = await output.next(); step.done !== true; step = await output.next()) {
      const { buffer, byteOffset, length } = step.value.borrowed
      // Behind a chunk lie bytes of the previous chunk in that buffer. Behind the first there are zeros.
      const behind = new Uint8Array(buffer, byteOffset + length)
      chunks++
      if (behind.length > 0 && behind.every((byte) => byte === 0)) fresh++
    }
    expect(chunks).toBeGreaterThan(3 * MAX_CHUNKS)
    expect(fresh).toBeLessThanOrEqual(MAX_CHUNKS)
  })

  test('does not delay another trace on the same thread', async () => {
    const pool = common()
    const output = await startLong(pool, request(readingLoop(50_000), { job: STEPS }))
    await output.next()
    expect(await resultOf(await pool.start(request(readingLoop(5))))).toEqual({})
    await output.return()
    await until(() => ends.length === 2)
    expect(ends).toEqual(['done', 'cancelled'])
  })

  test('gets a closed result when the time is up, with the error beside it', async () => {
    const pool = await openWarm()
    let isOver = false
    const expired = (phase: string) => {
      isOver = true
      return new LockstepError('LIMIT_EXCEEDED', `over in ${phase}`)
    }
    const asked = request(readingLoop(50_000), { job: STEPS, timeoutMs: 1000, expired })
    const output = await startLong(pool, asked)
    await until(() => isOver)
    const { text, error } = await drain(output)
    expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED', message: 'over in write' })
    const { structLogs, gas } = JSON.parse(text)
    expect(structLogs.length).toBeGreaterThan(1000)
    expect(gas).toBeUndefined()
    expect(ends).toEqual(['done', 'expired'])
  })

  test('that stops reading loses the remaining output', async () => {
    const pool = await openWarm({ graceMs: 500 })
    const asked = request(readingLoop(50_000), { job: STEPS, timeoutMs: 1000 })
    const output = await startLong(pool, asked)
    await output.next()
    await until(() => ends.length > 1)
    expect(ends).toEqual(['done', 'expired'])
    await expect(drain(output)).rejects.toThrow('over in write')
    expect(deaths).toEqual([])
  })
})

describe('a caller that disconnects', () => {
  test('ends the trace and frees its slot', async () => {
    const pool = open({ maxTraces: 1 })
    const leaving = new AbortController()
    const asked = request(ENDLESS, { signal: leaving.signal })
    const trace = pool.start(asked)
    await until(() => asked.view.reads > 0)
    leaving.abort()
    await expect(trace).rejects.toMatchObject({ message: 'the caller has disconnected' })
    await until(() => ends.length > 0)
    expect(ends).toEqual(['cancelled'])
    expect(await resultOf(await pool.start(request(readingLoop(1))))).toEqual({})
  })

  test('in the middle of the output ends the trace too', async () => {
    const pool = open({ maxTraces: 1 })
    const asked = request(readingLoop(50_000), {
      job: callJob('opcodeTracer', { disableStorage: true }),
    })
    const output = await startLong(pool, asked)
    await output.next()
    await output.return()
    await until(() => ends.length > 0)
    expect(ends).toEqual(['cancelled'])
    expect(asked.view.reads).toBeLessThan(50_000)
    expect(await resultOf(await pool.start(request(readingLoop(1))))).toEqual({})
  })

  test('before the start prevents the trace', async () => {
    const pool = open()
    const gone = request(ENDLESS, { signal: AbortSignal.abort() })
    await expect(pool.start(gone)).rejects.toThrow('the caller has disconnected')
    expect(gone.view.reads).toBe(0)
    const running = Array.from({ length: 4 }, () => new AbortController())
    const traces = running.map(({ signal }) => pool.start(request(ENDLESS, { signal })))
    const leaving = new AbortController()
    const asked = request(ENDLESS, { signal: leaving.signal })
    const waiting = pool.start(asked)
    leaving.abort()
    await expect(waiting).rejects.toThrow('the caller has disconnected')
    expect(asked.view.reads).toBe(0)
    for (const one of running) one.abort()
    await Promise.allSettled(traces)
  })
})

describe('the time limit of a trace', () => {
  test('includes its time in the queue', async () => {
    const pool = open()
    const running = Array.from({ length: 4 }, () => new AbortController())
    const traces = running.map(({ signal }) => pool.start(request(ENDLESS, { signal })))
    await expect(pool.start(request(ENDLESS, { waitMs: 20 }))).rejects.toThrow('over in queue')
    for (const one of running) one.abort()
    await Promise.allSettled(traces)
  })

  test('includes the replay of earlier transactions', async () => {
    const pool = await openWarm()
    const job = minedJob('transaction', [{ gasUsed: 0n }, { gasUsed: 0n }])
    await expect(pool.start(request(ENDLESS, { job, timeoutMs: 300 }))).rejects.toThrow(
      'over in replay',
    )
    await until(() => ends.length > 1)
    expect([ends, deaths]).toEqual([['done', 'expired'], []])
  })

  test('includes its run', async () => {
    const pool = await openWarm()
    await expect(pool.start(request(ENDLESS, { timeoutMs: 300 }))).rejects.toThrow('over in run')
    await until(() => ends.length > 1)
    expect([ends, deaths]).toEqual([['done', 'expired'], []])
  })
})

describe('a replay that differs from the receipt', () => {
  const STOPS = assemble('STOP')
  const right = { gasUsed: 21_000n, outcome: { success: true, logs: logsDigest([]) } }
  const wrong = [
    ['gas', { ...right, gasUsed: 21_001n }, 'used 21001 gas and now 21000'],
    [
      'status',
      { ...right, outcome: { ...right.outcome, success: false } },
      'failed and now succeeds',
    ],
    [
      'logs',
      { ...right, outcome: { ...right.outcome, logs: 1 } },
      'emitted other logs than the replay',
    ],
  ] as const

  test.each(wrong)('in its %s is a counted error', async (_, other, text) => {
    for (const kind of ['transaction', 'block'] as const) {
      const pool = common()
      const job = minedJob(kind, [right, other])
      await expect(pool.start(request(STOPS, { job }))).rejects.toMatchObject({
        code: 'TRACE_DIFFERS',
        message: `transaction 1 of block 1 ${text}`,
      })
      expect([ends, differences.length]).toEqual([['failed'], 1])
      const last = await resultOf(
        await pool.start(request(STOPS, { job: minedJob(kind, [right]) })),
      )
      expect(last).not.toHaveProperty('error')
    }
  })

  test.each(wrong)(
    'in its %s is a counted error on the main thread as well',
    async (_, other, text) => {
      const pool = open({ attempts: new TraceAttempts(modules, 60_000) })
      const job = minedJob('transaction', [right, other])
      await expect(pool.start(request(STOPS, { job }))).rejects.toMatchObject({
        code: 'TRACE_DIFFERS',
        message: `transaction 1 of block 1 ${text}`,
      })
      expect([ends, differences.length]).toEqual([['failed'], 1])
      expect(loads).toEqual([[0, 0]])
    },
  )
})

describe('traces beyond the limit', () => {
  test('are refused immediately with the key of the limit', async () => {
    const pool = open({ maxTraces: 2 })
    const stop = new AbortController()
    const { signal } = stop
    const running = [1, 2].map(() => pool.start(request(ENDLESS, { signal })))
    await expect(pool.start(request(ENDLESS))).rejects.toMatchObject({
      code: 'SERVER_BUSY',
      message: 'trace request rejected due to concurrency limit: server busy',
      data: { key: 'evm.max_concurrent_trace_calls', limit: 2 },
    })
    stop.abort()
    await Promise.allSettled(running)
    await until(() => ends.length === 3)
    expect(ends).toEqual(['rejected', 'cancelled', 'cancelled'])
  })

  test('are refused to a client with as many traces as any other, and no other trace is evicted', async () => {
    const pool = open({ maxTraces: 2 })
    const stop = new AbortController()
    const { signal } = stop
    // The pool is full at 32 times the limit of one client.
    const clients = Array.from({ length: 64 }, () => ({}))
    const running = clients.map((client) => pool.start(request(ENDLESS, { client, signal })))
    const client = clients[0] as object
    await expect(pool.start(request(ENDLESS, { client }))).rejects.toMatchObject({
      code: 'SERVER_BUSY',
    })
    expect(ends).toEqual(['rejected'])
    stop.abort()
    await Promise.allSettled(running)
    await until(() => ends.length === 65)
  })

  test('are answered or refused, each of a thousand concurrent ones', async () => {
    const pool = open({ threads: 2, maxTraces: 40 })
    const traces = Array.from({ length: 1000 }, async () =>
      resultOf(await pool.start(request(readingLoop(20)))),
    )
    const settledTraces = await Promise.allSettled(traces)
    const answered = settledTraces.filter(({ status }) => status === 'fulfilled')
    const refused = settledTraces.filter(
      (one) => one.status === 'rejected' && one.reason.code === 'SERVER_BUSY',
    )
    expect([answered.length, refused.length]).toEqual([40, 960])
    expect(await resultOf(await pool.start(request(readingLoop(1))))).toEqual({})
    expect(loads.at(-1)).toEqual([0, 0])
  })
})

describe('a trace thread', () => {
  test('that does not stop is replaced, and its other traces restart', async () => {
    const pool = open({ script: SCRIPT, graceMs: 200 })
    const job = callJob('noopTracer', { hang: true })
    const asked = request(readingLoop(500))
    // Both are sent before the thread reads its messages: the loop is entered first.
    const hanging = pool.start(request(ENDLESS, { job, timeoutMs: 500 }))
    const other = pool.start(asked)
    await expect(hanging).rejects.toThrow('over in')
    expect(await resultOf(await other)).toEqual({})
    expect(deaths.map(({ message }) => message)).toEqual([
      'a trace worker did not stop and was replaced',
    ])
    expect(ends.toSorted()).toEqual(['done', 'expired'])
  })

  test('that dies twice under one trace makes that trace fail', async () => {
    const pool = open({ script: SCRIPT })
    const job = callJob('noopTracer', { die: true })
    await expect(pool.start(request(ENDLESS, { job }))).rejects.toMatchObject({
      code: 'ENGINE_FAULT',
      message: 'a trace worker ended',
    })
    expect(deaths).toHaveLength(2)
    expect(await resultOf(await pool.start(request(readingLoop(1))))).toEqual({})
  })

  test('ends with the pool, whatever it runs', async () => {
    const pool = open()
    const running = pool.start(request(ENDLESS))
    const unread = await pool.start(
      request(readingLoop(50_000), { job: callJob('opcodeTracer', { disableStorage: true }) }),
    )
    await Promise.all([
      expect(running).rejects.toMatchObject({ code: 'SERVER_BUSY' }),
      pool.close(),
    ])
    await expect(drain(unread)).rejects.toMatchObject({ code: 'SERVER_BUSY' })
    await expect(pool.start(request(ENDLESS))).rejects.toThrow('the node is stopping')
    expect(deaths).toEqual([])
  })
})
