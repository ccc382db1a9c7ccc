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

/** Lets a thread read a state that this one holds, and gives what it found. */
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

/** Turns of the loops that are traced at a time: each has a state of its own. */
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

/** Struct logs of a loop over slots that hold what no other state's slots do. */
async function tracedWith(pool: TracePool, turns: number): Promise<string> {
  const asked = request(readingLoop(turns), { job: callJob('opcodeTracer', {}) })
  const view = new KeyedState()
  const address = bigintToBytes(BigInt(turns), 20)
  asked.view.storage = (_, slot) => view.storage(address, slot)
  const { text, error } = await drain(await pool.start(asked))
  if (error !== undefined) throw error
  return text
}

/** Which sides are held up now and then: the one that answers, the one that reads, both. */
test.each([
  ['answers', true, false],
  ['reads', false, true],
  ['answers and reads', true, true],
])(
  `a read gets its own answer, however late the thread that %s is (LOCKSTEP_SEED=${seed})`,
  async (_, here, there) => {
    if (here) restores.push(delayAtomics({ seed, oneOf: 100, milliseconds: 2 }))
    const lateness = there ? { seed: seed + 1, oneOf: 100, milliseconds: 2 } : undefined
    const report = await readThrough(seed + 2, lateness)
    expect(report).toEqual({ reads: READS, wrong: [] })
  },
)

test(`traces that take turns read their own states, however late all threads are (LOCKSTEP_SEED=${seed})`, async () => {
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
