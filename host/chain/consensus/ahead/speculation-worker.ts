import { parentPort, workerData } from 'node:worker_threads'
import { LockstepError } from '../../../base/error.ts'
import { loadEngine } from '../../../evm/engine/engine.ts'
import { JobBoard } from '../../../evm/execute/lockstep/job-board.ts'
import { JobRunner } from '../../../evm/execute/lockstep/job-runner.ts'
import { StateReader } from '../../../storage/store/reader/state-reader.ts'
import { ReadWriteSetArea } from './read-write-set-area.ts'
import {
  PackedJobTransactions,
  type SpeculationBlock,
  type SpeculationWorkerData,
  type ToSpeculationWorker,
} from './speculation-messages.ts'

// A thread that executes transactions speculatively, one block after another.

const { runner, modules, footprints } = workerData as SpeculationWorkerData
const area = new ReadWriteSetArea(footprints)
const states = new StateReader()
const open = () => loadEngine(modules.engine, modules)
let engine = await open()

/** Rejects reads of block hashes: a read/write set does not record which hash a transaction saw. */
function runInPlace(number: number): never {
  throw new LockstepError('ENGINE_FAULT', `a transaction asked for the hash of block ${number}`)
}

async function run(block: SpeculationBlock): Promise<void> {
  // Undefined if this thread cannot read the state's files: the main thread executes the block
  const view = states.view(block.env.number - 1, runInPlace)
  if (view === undefined) return
  const board = new JobBoard(new Int32Array(block.board), block.plan.sizes.length)
  const transactions = new PackedJobTransactions(block.transactions, (bytes) =>
    engine.keccak256(bytes),
  )
  area.clear()
  const jobRunner = new JobRunner({
    runner,
    engine,
    env: block.env,
    view,
    board,
    plan: block.plan,
    transactionAt: (index) => transactions.at(index),
    keep: (index, footprint) => area.put(block.number, index, footprint),
  })
  for (;;) {
    try {
      if (!jobRunner.runOne()) return
    } catch (error) {
      // A value cannot be read here, or the engine is exhausted: the main thread executes the job
      if (!(error instanceof LockstepError) || error.code !== 'ENGINE_FAULT') throw error
      if (engine.isUsable) continue
      engine = await open()
      return
    }
  }
}

/** Processes messages in order. When a block arrives, the one before has ended. */
let running = Promise.resolve()

parentPort?.on('message', (message: ToSpeculationWorker) => {
  running = running.then(() =>
    message.kind === 'state' ? states.take(message.edition) : run(message.block),
  )
})
