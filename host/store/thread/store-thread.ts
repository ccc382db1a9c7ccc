import { Worker } from 'node:worker_threads'
import { LockstepError } from '../../base/error.ts'
import { fromPlainError } from '../../base/plain-error.ts'
import type { StoreResponse, StoreWork, Written } from './store-messages.ts'

interface Waiting {
  resolve(written: Written): void
  reject(error: unknown): void
}

/** The thread that writes records of the write-ahead log to the tables, started at the first work. */
export class StoreThread {
  readonly #script: URL
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #failure: unknown
  #nextId = 0

  /** @param script the file that the thread runs */
  constructor(script = new URL('./store-worker.ts', import.meta.url)) {
    this.#script = script
  }

  run(work: StoreWork): Promise<Written> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    this.#worker ??= this.#start()
    // The process may end while the thread rests, not while it works.
    this.#worker.ref()
    const id = this.#nextId++
    const done = new Promise<Written>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
    })
    this.#worker.postMessage({ id, work })
    return done
  }

  /**
   * Ends the thread. A compaction may be cut short: its file is in no list. A flush must have ended: a thread
   * that ends within a transaction of LMDB leaves the database locked.
   */
  async close(): Promise<void> {
    const worker = this.#worker
    if (worker !== undefined && this.#failure === undefined) await this.run({ kind: 'close' })
    this.#fail(new Error('the storage thread was closed'))
    await worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(this.#script)
    worker.on('message', (response: StoreResponse) => this.#settle(worker, response))
    worker.on('error', (error) => this.#fail(error))
    worker.on('exit', (code) => this.#fail(new Error(`the storage thread ended with code ${code}`)))
    return worker
  }

  #settle(worker: Worker, { id, written, error }: StoreResponse): void {
    if (this.#failure !== undefined) return
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) {
      const message = `the storage thread answered request ${id}, which was not asked`
      this.#fail(new LockstepError('ENGINE_FAULT', message))
    } else {
      this.#waiting.delete(id)
      if (error !== undefined) waiting.reject(fromPlainError(error))
      else waiting.resolve(written ?? [])
    }
    if (this.#waiting.size === 0) worker.unref()
  }

  #fail(failure: unknown): void {
    this.#failure ??= failure
    for (const { reject } of this.#waiting.values()) reject(this.#failure)
    this.#waiting.clear()
  }
}
