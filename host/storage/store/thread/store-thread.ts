import { WorkerClient } from '../../../base/worker/worker-client.ts'
import type { StoreWork, WrittenFiles } from './store-messages.ts'

/** The thread that writes records of the write-ahead log to the tables. It starts with the first work. */
export class StoreThread {
  readonly #worker: WorkerClient<StoreWork, WrittenFiles>

  /** @param script - The script that the thread runs. */
  constructor(script = new URL('./store-worker.ts', import.meta.url)) {
    this.#worker = new WorkerClient({ script, name: 'the storage thread' })
  }

  run(work: StoreWork): Promise<WrittenFiles> {
    return this.#worker.run(work)
  }

  /**
   * Ends the thread. It may interrupt a compaction, whose file is in no list. A flush must have ended: a thread that
   * ends within a transaction of LMDB leaves the database locked.
   */
  close(): Promise<void> {
    return this.#worker.close({ kind: 'close' })
  }
}
