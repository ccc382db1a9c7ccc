import { Worker } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import { newStateArea, StateAnswers } from '../../host/api/trace-pool/state-port.ts'
import { TracePool } from '../../host/api/trace-pool/trace-pool.ts'
import { bigintToBytes } from '../../host/base/bytes.ts'
import type { LockstepError } from '../../host/base/error.ts'
import { compileEngine } from '../../host/node/wasm.ts'
import { callJob, drain, readingLoop, request } from '../support/node/pool-request.ts'
import { runSeed } from '../support/random.ts'
import { delayAtomics, type Lateness } from '../support/trace/late-atomics.ts'
import { KeyedState } from './state-port/keyed-state.ts'
import type { ReadingReport, ReadingThreadData } from './state-port/reading-thread.ts'

const SCRIPT = new URL('state-port/reading-thread.ts', import.meta.url)

const seed = runSeed()
const READS = 10_000

const restores: (() => void)[] = []

afterEach(() => {
  for (const restore of restores.splice(0)) restore()
})

/** Starts a thread that reads a state held by this one, and returns its report. */
function readThrough(seed: number, lateness: Lateness | undefined): Promise<ReadingReport> {
  const area = newStateArea()
  const answers = new StateAnswers(area)
  const view = new KeyedState()
  const workerData: ReadingThreadData = { area, reads: READS, seed, lateness }
  const worker = new Worker(SCRIPT, { workerData })
  return new Promise((resolve, reject) => {
    worker.on('error', reject)
    worker.on('message', (message: number | ReadingReport) => {
      if (typeof message === 'number') answers.answer(message, () => view)
      else resolve(message)
    })
  })
}

/** Loop turns of the concurrent traces, each of which has its own state. */
const TURNS = [40, 70, 100, 130, 160, 190, 220, 250]

async function openPool(script?: URL) {
  const differences: LockstepError[] = []
  const pool = new TracePool({
    modules: await compileEngine(),
    turnMs: 100,
    threads: 2,
    scriptThreads: 2,
    scriptBytes: 64 << 20,
    maxTraces: 0,
    observer: {
      onLoad: () => {},
      onEnd: () => {},
      onDifference: (error) => differences.push(error),
      onDeath: (error) => differences.push(error),
    },
    ...(script !== undefined && { script }),
  })
  restores.push(() => void pool.close())
  return { pool, differences }
}

/** Returns the struct logs of a loop over slots whose values no other trace's state has. */
async function tracedWith(pool: TracePool, turns: number): Promise<string> {
  const asked = request(readingLoop(turns), { job: callJob('opcodeTracer', {}) })
  const view = new KeyedState()
  const address = bigintToBytes(BigInt(turns), 20)
  asked.view.storage = (_, slot) => view.storage(address, slot)
  const { text, error } = await drain(await pool.start(asked))
  if (error !== undefined) throw error
  return text
}

/** The sides that are delayed at random: the answering one, the reading one, or both. */
test.each([
  ['answers', true, false],
  ['reads', false, true],
  ['answers and reads', true, true],
])(
  `a read gets its own answer even if the thread that %s is delayed (LOCKSTEP_SEED=${seed})`,
  async (_, here, there) => {
    if (here) restores.push(delayAtomics({ seed, oneOf: 100, milliseconds: 2 }))
    const lateness = there ? { seed: seed + 1, oneOf: 100, milliseconds: 2 } : undefined
    const report = await readThrough(seed + 2, lateness)
    expect(report).toEqual({ reads: READS, wrong: [] })
  },
)

test(`interleaved traces read their own states even if all threads are delayed (LOCKSTEP_SEED=${seed})`, async () => {
  const { pool, differences } = await openPool()
  const expected = await Promise.all(TURNS.map((turns) => tracedWith(pool, turns)))
  restores.push(delayAtomics({ seed, oneOf: 200, milliseconds: 2 }))
  const late = await openPool(new URL('state-port/late-trace-worker.ts', import.meta.url))
  for (let round = 0; round < 3; round++) {
    const traces = await Promise.all(TURNS.map((turns) => tracedWith(late.pool, turns)))
    expect(traces).toEqual(expected)
  }
  expect([differences, late.differences]).toEqual([[], []])
})
