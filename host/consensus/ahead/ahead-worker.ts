import { parentPort, workerData } from 'node:worker_threads'
import { LockstepError } from '../../base/error.ts'
import { loadEngine } from '../../engine/engine.ts'
import { JobBoard } from '../../execute/lockstep/job-board.ts'
import { JobRunner } from '../../execute/lockstep/job-runner.ts'
import {
  type AheadBlock,
  type AheadThreadData,
  PackedJobs,
  unpackAccounts,
} from './ahead-messages.ts'
import { FootprintArea } from './footprint-area.ts'
import { AskedState } from './state-reads.ts'

// One thread that runs transactions of a block ahead of their turn, one block after another.

const { runner, modules, footprints, reads } = workerData as AheadThreadData
const area = new FootprintArea(footprints)
const open = () => loadEngine(modules.engine, modules)
let engine = await open()

async function run(block: AheadBlock): Promise<void> {
  const board = new JobBoard(new Int32Array(block.board), block.plan.sizes.length)
  const jobs = new PackedJobs(block, (bytes) => engine.keccak256(bytes))
  area.clear()
  const jobRunner = new JobRunner({
    runner,
    engine,
    env: block.env,
    view: new AskedState(
      reads,
      block.number,
      unpackAccounts(block.accounts),
      () => board.isStopped,
    ),
    board,
    plan: block.plan,
    jobOf: (number) => jobs.job(number),
    keep: (index, footprint) => area.put(block.number, index, footprint),
  })
  for (;;) {
    try {
      if (!jobRunner.runOne()) return
    } catch (error) {
      // A read that nobody answered, or a transaction that exhausts an engine: its job runs in its place
      if (!(error instanceof LockstepError) || error.code !== 'ENGINE_FAULT') throw error
      if (engine.isUsable) continue
      engine = await open()
      return
    }
  }
}

/** Blocks come in order, and an older one has ended by then. */
let running = Promise.resolve()

parentPort?.on('message', (block: AheadBlock) => {
  running = running.then(() => run(block))
})
