import { workerData } from 'node:worker_threads'
import { Mutex } from '../../base/mutex.ts'
import { toPlainError } from '../../base/plain-error.ts'
import { serveWork } from '../../base/worker/serve-work.ts'
import { HashStore } from './hash-store.ts'
import type {
  IndexOutcomes,
  IndexTableName,
  IndexWorkerData,
  ToIndexWorker,
} from './index-messages.ts'
import type { SourceBlock } from './source-block.ts'

// The worker that writes the rows of finished blocks. The main thread sends the blocks and answers its state reads.

/** A table as the worker writes it. The rows of a block and the latest height are one transaction. */
interface IndexWriter {
  /** Adds the rows of blocks that follow the latest one. */
  add(blocks: readonly SourceBlock[], firstRun: number): void | Promise<void>
  /** Removes the blocks above a height. */
  cut(height: number, hash: Uint8Array): void
  /** Removes some of the rows below a height. */
  prune(height: number): void
  close(): Promise<void>
}

const { dirs, replay } = workerData as IndexWorkerData

const writers = new Map<IndexTableName, IndexWriter>()
if (dirs.hashes !== undefined) {
  writers.set('hashes', new HashStore(dirs.hashes, { isShared: true }))
}
if (dirs.addresses !== undefined && replay !== undefined) {
  // Loaded on demand: it needs the engine.
  const { AddressWriter } = await import('./address-writer.ts')
  writers.set('addresses', new AddressWriter(dirs.addresses, replay))
}

/** Adds the blocks to each table. The failure of one does not affect the others. */
async function add(message: Extract<ToIndexWorker, { kind: 'add' }>): Promise<IndexOutcomes> {
  const outcomes = []
  for (const table of message.tables) {
    const writer = writers.get(table)
    try {
      await writer?.add(message.blocks, message.firstRun)
      writer?.prune(message.pruneHeight)
      outcomes.push(undefined)
    } catch (thrown) {
      outcomes.push(toPlainError(thrown))
    }
  }
  return outcomes
}

async function work(message: ToIndexWorker): Promise<IndexOutcomes> {
  if (message.kind === 'add') return add(message)
  if (message.kind === 'cut') writers.get(message.table)?.cut(message.height, message.hash)
  else for (const writer of writers.values()) await writer.close()
  return []
}

const mutex = new Mutex()

serveWork((message: ToIndexWorker) => mutex.runExclusive(() => work(message)))
