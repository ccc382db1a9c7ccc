import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { TraceAttempts } from '../../../../host/api/trace-pool/trace-attempts.ts'
import { TracePool } from '../../../../host/api/trace-pool/trace-pool.ts'
import type { TraceRequest } from '../../../../host/api/trace-pool/trace-runner.ts'
import { bigintToBytes } from '../../../../host/base/bytes.ts'
import type { EngineModules } from '../../../../host/evm/engine/engine-modules.ts'
import type { TraceJob, TraceTarget } from '../../../../host/evm/trace/job/trace-job.ts'
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
} from '../../../support/node/pool-request.ts'

/** Half a second of jumps: 30 million of them, at least 10 gas each. */
const LONG_ITERATIONS = 10_000_000
const LONG = assemble(LONG_ITERATIONS, 'JUMPDEST', 1, 'SWAP1', 'SUB', 'DUP1', 4, 'JUMPI', 'STOP')

/** Returns code that calls account 0x99 `count` times with `size` bytes. */
function calling(count: number, size: number): Uint8Array {
  const call = ['JUMPDEST', 0, 0, size, 0, 0, 0x99, 5000, 'CALL', 'POP'] as const
  return assemble(count, ...call, 1, 'SWAP1', 'SUB', 'DUP1', count < 256 ? 2 : 3, 'JUMPI', 'STOP')
}

const returning = (size: number) => assemble(size, 0, 'RETURN')

/** Enough time on a busy machine. */
const ANY_TIME = 600_000

let modules: EngineModules
let tried: TracePool
/** The reference of all tests, shared since its thread takes a while to start. */
let threaded: TracePool
let ends: string[]
/** Maximum number of concurrent traces on the thread of the pool under test. */
let onThreads: number

function open(attempts: TraceAttempts | undefined): TracePool {
  return new TracePool({
    modules,
    turnMs: 100,
    threads: 1,
    scriptThreads: 1,
    scriptBytes: 64 << 20,
    maxTraces: 2,
    observer: {
      onLoad: (_, running) => {
        if (attempts !== undefined) onThreads = Math.max(onThreads, running)
      },
      onEnd: (end) => ends.push(end),
      onDifference: () => {},
      onDeath: (error) => {
        throw error
      },
    },
    ...(attempts && { attempts }),
  })
}

beforeAll(async () => {
  modules = await compileEngine()
  threaded = open(undefined)
})
afterAll(() => threaded.close())

beforeEach(() => {
  ends = []
  onThreads = 0
  tried = open(new TraceAttempts(modules, ANY_TIME))
})

afterEach(() => tried.close())

const asked = (code: Uint8Array, tracer: string, options: Partial<TraceRequest> = {}) =>
  request(code, { job: callJob(tracer, {}), ...options })

const textOf = async (pool: TracePool, one: TraceRequest) =>
  (await drain(await pool.start(one))).text

describe('a short trace of a call on the main thread', () => {
  const TRACERS = ['callTracer', 'flatCallTracer', 'prestateTracer', '4byteTracer', 'noopTracer']

  test.each(TRACERS)('equals that of a thread byte for byte: %s', async (tracer) => {
    for (const code of [readingLoop(10), calling(3, 100), returning(1000), assemble('INVALID')]) {
      const here = await textOf(tried, asked(code, tracer))
      expect(here).toBe(await textOf(threaded, asked(code, tracer)))
    }
    expect(onThreads).toBe(0)
    expect(ends).toEqual(Array.from({ length: 8 }, () => 'done'))
  })

  test('sees no effect of the previous one', async () => {
    const storing = assemble(7, 0, 'SSTORE', 0, 'SLOAD', 0, 'MSTORE', 32, 0, 'RETURN')
    const loading = assemble(0, 'SLOAD', 0, 'MSTORE', 32, 0, 'RETURN')
    const outputOf = async (code: Uint8Array) =>
      JSON.parse(await textOf(tried, asked(code, 'callTracer'))).output
    expect(BigInt(await outputOf(storing))).toBe(7n)
    expect(BigInt(await outputOf(loading))).toBe(0n)
    expect(onThreads).toBe(0)
  })
})

describe('the trace of a mined transaction', () => {
  /** Returns a job for the last of `count` equal transactions in a block, each of which used `gasUsed`. */
  function mined(gasUsed: bigint, count = 1): TraceJob {
    const env = { ...BLOCK, gasLimit: GAS, baseFee: 0n, revision: 'Prague' as const }
    const planned = (i: number) => {
      const input = transaction({ gas: 5_000_000n, maxFeePerGas: 0n, nonce: BigInt(i) })
      return { transaction: { ...input, hash: bigintToBytes(BigInt(i), 32) } as never, gasUsed }
    }
    const transactions = Array.from({ length: count }, (_, i) => planned(i))
    const plan = { height: 1, blockHash: new Uint8Array(32), env, systemCalls: [], transactions }
    return { ...callJob('callTracer'), target: { kind: 'transaction' }, plan }
  }

  const gasUsedBy = async (code: Uint8Array) =>
    BigInt(JSON.parse(await textOf(threaded, asked(code, 'callTracer'))).gasUsed)

  test('runs on the main thread with its predecessors if it used little gas', async () => {
    const code = readingLoop(10)
    const job = mined(await gasUsedBy(code), 3)
    const here = await textOf(tried, request(code, { job }))
    expect(here).toBe(await textOf(threaded, request(code, { job })))
    expect(onThreads).toBe(0)
  })

  test('runs on a thread in a block trace, with the limits of the caller', async () => {
    // More output than an attempt may retain. As the failure of an element it would be in the result.
    const code = calling(200, 1000)
    const job = mined(await gasUsedBy(code))
    expect(job.plan?.transactions[0]?.gasUsed).toBeLessThan(1_000_000n)
    const block = { ...job, target: { kind: 'block' } } as const
    const all = JSON.parse(await textOf(tried, request(code, { job: block })))
    expect(all).toEqual([{ txHash: `0x${'00'.repeat(32)}`, result: expect.anything() }])
    expect(all[0].result.calls).toHaveLength(200)
  })

  test('runs on a thread if it used much gas or its times are requested', async () => {
    const code = readingLoop(100)
    const gasUsed = await gasUsedBy(code)
    expect(4n * gasUsed).toBeLessThanOrEqual(1_000_000n)
    expect(5n * gasUsed).toBeGreaterThan(1_000_000n)
    await textOf(tried, request(code, { job: mined(gasUsed, 4) }))
    expect(onThreads).toBe(0)
    await textOf(tried, request(code, { job: mined(gasUsed, 5) }))
    expect(onThreads).toBe(1)
    onThreads = 0
    const profile = {
      startedAt: 0,
      lookupTransactionNanos: 1,
      loadBlockNanos: 1,
      buildBlockContextNanos: 1,
    }
    const target = { kind: 'transaction', profile } as const
    await textOf(tried, request(code, { job: { ...mined(gasUsed), target } }))
    expect(onThreads).toBe(1)
  })

  test('fails on the main thread if its replay diverges, so that a thread cannot hide it', async () => {
    await expect(tried.start(request(readingLoop(1), { job: mined(1n) }))).rejects.toMatchObject({
      code: 'TRACE_DIFFERS',
      message: expect.stringMatching(/^transaction 0 of block 1 used 1 gas and now/),
    })
  })
})

describe('a trace is moved to a thread', () => {
  test('if it takes too long, and so is the next call of the same function', async () => {
    await tried.close()
    // Allow no slice but the first.
    const attempts = new TraceAttempts(modules, 0)
    tried = open(attempts)
    const first = asked(LONG, 'callTracer')
    const text = await textOf(tried, first)
    expect(text).toBe(await textOf(threaded, asked(LONG, 'callTracer')))
    expect(onThreads).toBe(1)
    // The attempt has cached what the thread read.
    const again = asked(LONG, 'callTracer')
    expect(await textOf(tried, again)).toBe(text)
    expect(again.view.reads).toBeLessThan(first.view.reads)
    // Another function of the contract would be attempted.
    const { call } = callJob('callTracer').target as TraceTarget & { kind: 'call' }
    const input = { ...call.input, data: Uint8Array.of(1, 2, 3, 4) }
    const target = { kind: 'call', call: { ...call, input } } as const
    const job = { ...callJob('callTracer'), target }
    expect([attempts.takes(callJob('callTracer')), attempts.takes(job)]).toEqual([false, true])
  })

  test('if its result is too long', async () => {
    const text = await textOf(tried, asked(returning(100_000), 'callTracer'))
    expect(JSON.parse(text).output).toBe(`0x${'00'.repeat(100_000)}`)
    expect(onThreads).toBe(1)
  })

  test('if its tracer retains much memory, within its own limit', async () => {
    const { calls } = JSON.parse(await textOf(tried, asked(calling(200, 1000), 'callTracer')))
    expect(calls).toHaveLength(200)
    expect(onThreads).toBe(1)
    const job: TraceJob = {
      ...callJob('callTracer'),
      limits: { structLogBytes: 1, keptBytes: 300_000 },
    }
    await expect(tried.start(request(calling(200, 1000), { job }))).rejects.toThrow(
      'the calls take more than 300000 bytes ([evm] max_trace_kept_bytes)',
    )
  })

  test('if it fails, so that the error is the usual one', async () => {
    const job = callJob('callTracer', { withLog: 7 })
    await expect(tried.start(request(ENDLESS, { job }))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'withLog: want a boolean, got number',
    })
    const call = { input: transaction({ gas: 1n }), env: BLOCK, priced: true, stateOverrides: [] }
    const refused = { ...callJob('4byteTracer'), target: { kind: 'call', call } } as const
    await expect(tried.start(request(ENDLESS, { job: refused }))).rejects.toThrow(
      'tracing failed: intrinsic gas too low: have 1, want 21000',
    )
    expect(ends).toEqual(['failed', 'failed'])
  })

  test.each([
    'opcodeTracer',
    'erc7562Tracer',
    'muxTracer',
    '{step: function () {}, fault: function () {}, result: function () { return 1 }}',
  ])('if its tracer may inspect steps: %s', async (tracer) => {
    await textOf(tried, asked(readingLoop(1), tracer))
    expect(onThreads).toBe(1)
  })

  test('if another attempt is in progress on the main thread', async () => {
    const both = [asked(LONG, 'callTracer'), asked(readingLoop(3), 'callTracer')]
    const texts = both.map((one) => textOf(tried, one))
    expect(JSON.parse((await texts[1]) as string).to).toBe(
      `0x${Buffer.from(CONTRACT).toString('hex')}`,
    )
    expect(onThreads).toBeGreaterThan(0)
    await texts[0]
  })
})

describe('while a trace is attempted on the main thread', () => {
  test('a caller that disconnects ends it and frees its slot', async () => {
    for (const _ of [1, 2, 3]) {
      const leaving = new AbortController()
      const trace = tried.start(asked(ENDLESS, 'callTracer', { signal: leaving.signal }))
      leaving.abort()
      await expect(trace).rejects.toThrow('the caller has disconnected')
    }
    await vi.waitUntil(() => ends.length === 3, { timeout: 60_000 })
    expect(ends).toEqual(['cancelled', 'cancelled', 'cancelled'])
  })

  test('its time counts towards the limit', async () => {
    const trace = tried.start(asked(ENDLESS, 'callTracer', { timeoutMs: 1 }))
    await expect(trace).rejects.toThrow('over in run')
    expect(ends).toEqual(['expired'])
  })

  test('it counts as a trace in progress', async () => {
    const leaving = new AbortController()
    const { signal } = leaving
    const traces = [1, 2].map(() => tried.start(asked(ENDLESS, 'callTracer', { signal })))
    await expect(tried.start(asked(ENDLESS, 'callTracer'))).rejects.toMatchObject({
      code: 'SERVER_BUSY',
      data: { key: 'evm.max_concurrent_trace_calls', limit: 2 },
    })
    leaving.abort()
    await Promise.allSettled(traces)
  })

  test('the trace fails if the pool closes', async () => {
    const trace = tried.start(asked(ENDLESS, 'callTracer'))
    await Promise.all([expect(trace).rejects.toMatchObject({ code: 'SERVER_BUSY' }), tried.close()])
  })
})
