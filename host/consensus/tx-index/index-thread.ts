import { Worker } from 'node:worker_threads'
import { fromPlainError } from '../../base/plain-error.ts'
import { type IndexBlock, transferOf } from './index-block.ts'
import type { IndexDone, IndexRemoval, IndexWork } from './index-messages.ts'

/** The thread that writes the index, one piece of work at a time; it starts with the first. */
export class IndexThread {
  readonly #dir: string
  readonly #script: URL
  #worker: Worker | undefined
  #settle: ((error?: unknown) => void) | undefined
  #failure: unknown

  /** @param dir that of the index, which the caller has open and checked */
  constructor(dir: string, script = new URL('./index-worker.ts', import.meta.url)) {
    this.#dir = dir
    this.#script = script
  }

  /** Resolves once the blocks are on disk. They change hands. */
  write(blocks: readonly IndexBlock[], pruneHeight: number): Promise<void> {
    return this.#run(
      { removed: undefined, blocks, pruneHeight, isLast: false },
      blocks.flatMap(transferOf),
    )
  }

  /** Resolves once the rows of blocks that have left the chain are gone. They change hands. */
  remove(removed: IndexRemoval): Promise<void> {
    const transfer = removed.blocks.flatMap(transferOf)
    return this.#run({ removed, blocks: [], pruneHeight: 0, isLast: false }, transfer)
  }

  /** Ends the thread after the work that it has: within a transaction it would leave the database locked. */
  async close(): Promise<void> {
    if (this.#worker === undefined) return
    const last: IndexWork = { removed: undefined, blocks: [], pruneHeight: 0, isLast: true }
    await this.#run(last, []).catch(() => undefined)
    await this.#worker.terminate()
  }

  #start(): Worker {
    const worker = new Worker(this.#script, { workerData: this.#dir })
    worker.on('message', ({ error }: IndexDone) => this.#settle?.(error && fromPlainError(error)))
    worker.on('error', (error) => this.#fail(error))
    worker.on('exit', (code) => this.#fail(new Error(`the thread ended with code ${code}`)))
    return worker
  }

  #run(work: IndexWork, transfer: ArrayBuffer[]): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => {
      this.#worker ??= this.#start()
      this.#settle = (error) => {
        this.#settle = undefined
        if (error === undefined) resolve()
        else reject(error)
      }
      this.#worker.postMessage(work, transfer)
    })
  }

  #fail(failure: unknown): void {
    this.#failure ??= failure
    this.#settle?.(this.#failure)
  }
}
