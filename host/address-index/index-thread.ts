import { Worker } from 'node:worker_threads'
import { LockstepError } from '../base/error.ts'
import { fromPlainError } from '../base/plain-error.ts'
import type { EngineModules } from '../engine/engine-modules.ts'
import type { StateView } from '../state/view.ts'
import { newStateArea, StateAnswers } from '../trace-pool/state-port.ts'
import type { FromIndexThread, IndexThreadData, ToIndexThread } from './index-messages.ts'
import { type SourceBlock, sourceTransfer } from './source-block.ts'

interface Work {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * The thread that runs blocks again and writes their rows, as the chain's thread sees it; it starts with the first work.
 */
export class IndexThread {
  readonly #script: URL
  readonly #data: IndexThreadData
  #worker: Worker | undefined
  readonly #answers: StateAnswers
  readonly #viewBefore: (height: number) => StateView
  /** What it was told to do, in order. */
  readonly #works: Work[] = []
  /** States before the blocks that it has, by the number of their run. */
  readonly #views = new Map<number, StateView>()
  #nextRun = 0
  #failure: unknown

  /**
   * @param dir that of the index, which the caller has open and checked
   * @param viewBefore the state before the transactions of a block
   */
  constructor(
    dir: string,
    modules: EngineModules,
    viewBefore: (height: number) => StateView,
    script = new URL('./address-index-worker.ts', import.meta.url),
  ) {
    const area = newStateArea()
    this.#answers = new StateAnswers(area)
    this.#viewBefore = viewBefore
    this.#data = { dir, modules, area }
    this.#script = script
  }

  /** Resolves once the rows of the blocks are on disk. The blocks change hands. */
  async add(blocks: readonly SourceBlock[], pruneHeight: number): Promise<void> {
    const firstRun = this.#nextRun
    for (const { block, run } of blocks) {
      const id = this.#nextRun++
      if (run !== undefined) this.#views.set(id, this.#viewBefore(block.height))
    }
    try {
      await this.#run(
        { kind: 'add', blocks, firstRun, pruneHeight },
        blocks.flatMap(sourceTransfer),
      )
    } finally {
      for (let id = firstRun; id < firstRun + blocks.length; id++) this.#views.delete(id)
    }
  }

  /** Resolves once the rows above a height are gone. */
  cut(height: number): Promise<void> {
    return this.#run({ kind: 'cut', height })
  }

  /** Ends the thread after the work that it has: within a transaction it would leave the database locked. */
  async close(): Promise<void> {
    if (this.#worker === undefined) return
    await this.#run({ kind: 'close' }).catch(() => undefined)
    await this.#worker.terminate()
  }

  #start(): Worker {
    const worker = new Worker(this.#script, { workerData: this.#data })
    worker.on('message', (message: FromIndexThread) => {
      if (typeof message === 'number') this.#answer(message)
      else this.#settle(message.error && fromPlainError(message.error))
    })
    worker.on('error', (error) => this.#fail(error))
    worker.on('exit', (code) => {
      this.#fail(new LockstepError('ENGINE_FAULT', `the thread ended with code ${code}`))
    })
    return worker
  }

  #run(work: ToIndexThread, transfer: ArrayBuffer[] = []): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => {
      this.#worker ??= this.#start()
      this.#works.push({ resolve, reject })
      this.#worker.postMessage(work, transfer)
    })
  }

  #settle(error: unknown): void {
    const work = this.#works.shift()
    if (error === undefined) work?.resolve()
    else work?.reject(error)
  }

  /** Once it is out of step, nothing that the thread has read is to be trusted. */
  #answer(number: number): void {
    try {
      this.#answers.answer(number, (run) => this.#views.get(run))
    } catch (thrown) {
      this.#fail(thrown)
      void this.#worker?.terminate()
    }
  }

  #fail(failure: unknown): void {
    this.#failure ??= failure
    for (const { reject } of this.#works.splice(0)) reject(this.#failure)
  }
}
