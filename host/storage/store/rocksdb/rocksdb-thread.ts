import { fromPlainError } from '../../../base/plain-error.ts'
import { WorkerClient } from '../../../base/worker/worker-client.ts'
import type { RowCounts, WriterReport, WriterTask } from './rocksdb-messages.ts'

/** Hears what becomes of a database beside what is asked. */
export interface WriterListener {
  onCounts(counts: RowCounts): void
  onFailure(thrown: unknown): void
}

/**
 * The thread that writes into RocksDB: a row takes 2 us there, which the node's own thread does not have.
 */
export class RocksThread {
  readonly #worker: WorkerClient<WriterTask, void, WriterReport>
  readonly #listeners = new Map<number, WriterListener>()
  #lastDatabase = 0

  /** @param script the file that the thread runs */
  constructor(script = new URL('./rocksdb-worker.ts', import.meta.url)) {
    this.#worker = new WorkerClient({
      script,
      name: 'the RocksDB thread',
      onNote: (report) => this.#tell(report),
    })
  }

  /** A number for a database, by which tasks name it. */
  register(listener: WriterListener): number {
    this.#listeners.set(++this.#lastDatabase, listener)
    return this.#lastDatabase
  }

  run(task: WriterTask): Promise<void> {
    return this.#worker.run(task)
  }

  /** Ends the thread, which must use no database any more. */
  close(): Promise<void> {
    return this.#worker.close()
  }

  #tell({ database, counts, error }: WriterReport): void {
    if (counts !== undefined) this.#listeners.get(database)?.onCounts(counts)
    if (error !== undefined) this.#listeners.get(database)?.onFailure(fromPlainError(error))
  }
}
