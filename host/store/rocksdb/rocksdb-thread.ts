import { Worker } from 'node:worker_threads'
import { LockstepError } from '../../base/error.ts'
import { fromPlainError } from '../../base/plain-error.ts'
import type {
  RowCounts,
  WriterAnswer,
  WriterReport,
  WriterRequest,
  WriterTask,
} from './rocksdb-messages.ts'

interface Waiting {
  resolve(): void
  reject(thrown: unknown): void
}

/** Hears what becomes of a database beside what is asked. */
export interface WriterListener {
  onCounts(counts: RowCounts): void
  onFailure(thrown: unknown): void
}

/**
 * The thread that writes into RocksDB: a row takes 2 us there, which the node's own thread does not have.
 */
export class RocksThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #listeners = new Map<number, WriterListener>()
  #lastId = 0
  #lastDatabase = 0
  #failure: unknown

  /** @param script the file that the thread runs */
  constructor(script = new URL('./rocksdb-worker.ts', import.meta.url)) {
    this.#worker = new Worker(script)
    this.#worker.on('message', (message: WriterAnswer | WriterReport) => this.#receive(message))
    this.#worker.on('error', (error) => this.#fail(error))
    this.#worker.on('exit', (code) => this.#fail(new Error(`the RocksDB thread ended: ${code}`)))
    this.#worker.unref()
  }

  /** A number for a database, by which tasks name it. */
  register(listener: WriterListener): number {
    this.#listeners.set(++this.#lastDatabase, listener)
    return this.#lastDatabase
  }

  run(task: WriterTask): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    // The process may end while the thread rests or prunes, not while something is asked of it.
    this.#worker.ref()
    const id = ++this.#lastId
    const done = new Promise<void>((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    this.#worker.postMessage({ id, task } satisfies WriterRequest)
    return done
  }

  /** Ends the thread, which must use no database any more. */
  async close(): Promise<void> {
    this.#fail(new Error('the RocksDB thread was closed'))
    await this.#worker.terminate()
  }

  #receive(message: WriterAnswer | WriterReport): void {
    if ('database' in message) this.#tell(message)
    else this.#settle(message)
  }

  #tell({ database, counts, error }: WriterReport): void {
    if (counts !== undefined) this.#listeners.get(database)?.onCounts(counts)
    if (error !== undefined) this.#listeners.get(database)?.onFailure(fromPlainError(error))
  }

  #settle({ id, error }: WriterAnswer): void {
    if (this.#failure !== undefined) return
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) {
      const message = `the RocksDB thread answered request ${id}, which was not asked`
      this.#fail(new LockstepError('ENGINE_FAULT', message))
    } else {
      this.#waiting.delete(id)
      if (error === undefined) waiting.resolve()
      else waiting.reject(fromPlainError(error))
    }
    if (this.#waiting.size === 0) this.#worker.unref()
  }

  #fail(failure: unknown): void {
    this.#failure ??= failure
    for (const { reject } of this.#waiting.values()) reject(this.#failure)
    this.#waiting.clear()
  }
}
