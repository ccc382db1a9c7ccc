import { fromPlainError } from '../../../base/plain-error.ts'
import { WorkerClient } from '../../../base/worker/worker-client.ts'
import type { RowCounts, WriterReport, WriterTask } from './rocksdb-messages.ts'

/** Receives reports about a database, besides the answers to requests. */
export interface WriterListener {
  onCounts(counts: RowCounts): void
  onFailure(thrown: unknown): void
}

/** The thread that writes to RocksDB. A row takes 2 us, for which the main thread has no time. */
export class RocksThread {
  readonly #worker: WorkerClient<WriterTask, void, WriterReport>
  readonly #listeners = new Map<number, WriterListener>()
  #lastDatabase = 0

  /** @param script - The script that the thread runs. */
  constructor(script = new URL('./rocksdb-worker.ts', import.meta.url)) {
    this.#worker = new WorkerClient({
      script,
      name: 'the RocksDB thread',
      onNote: (report) => this.#tell(report),
    })
  }

  /** Returns a number for a database, by which tasks refer to it. */
  register(listener: WriterListener): number {
    this.#listeners.set(++this.#lastDatabase, listener)
    return this.#lastDatabase
  }

  run(task: WriterTask): Promise<void> {
    return this.#worker.run(task)
  }

  /** Ends the thread, which must not use any database any more. */
  close(): Promise<void> {
    return this.#worker.close()
  }

  #tell({ database, counts, error }: WriterReport): void {
    if (counts !== undefined) this.#listeners.get(database)?.onCounts(counts)
    if (error !== undefined) this.#listeners.get(database)?.onFailure(fromPlainError(error))
  }
}
