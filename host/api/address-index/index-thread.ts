import { WorkerClient } from '../../base/worker/worker-client.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { StateView } from '../../evm/state/view.ts'
import { newStateArea, StateAnswers } from '../trace-pool/state-port.ts'
import type { AddressIndexWorkerData, ToAddressIndexWorker } from './index-messages.ts'
import { type SourceBlock, sourceTransfer } from './source-block.ts'

/** Client of the worker that replays finished blocks and writes their rows. The worker starts on demand. */
export class AddressIndexWorker {
  readonly #worker: WorkerClient<ToAddressIndexWorker, void, number>
  readonly #answers: StateAnswers
  readonly #viewBefore: (height: number) => StateView
  /** States before the blocks in progress, by run number. */
  readonly #views = new Map<number, StateView>()
  #nextRun = 0

  /**
   * @param dir folder of the index, which the caller has opened and verified
   * @param viewBefore returns the state before the transactions of a block
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
    this.#worker = new WorkerClient({
      script,
      name: 'the address index worker',
      workerData: { dir, modules, area } satisfies AddressIndexWorkerData,
      // Once the worker is out of step, nothing that it has read can be trusted.
      onNote: (number) => this.#answers.answer(number, (run) => this.#views.get(run)),
    })
  }

  /** Resolves when the rows of the blocks are on disk. Transfers the blocks. */
  async add(blocks: readonly SourceBlock[], pruneHeight: number): Promise<void> {
    const firstRun = this.#nextRun
    for (const { block, run } of blocks) {
      const id = this.#nextRun++
      if (run !== undefined) this.#views.set(id, this.#viewBefore(block.height))
    }
    try {
      await this.#worker.run(
        { kind: 'add', blocks, firstRun, pruneHeight },
        blocks.flatMap(sourceTransfer),
      )
    } finally {
      for (let id = firstRun; id < firstRun + blocks.length; id++) this.#views.delete(id)
    }
  }

  /** Removes the rows above a height; resolves when they are removed. */
  cut(height: number): Promise<void> {
    return this.#worker.run({ kind: 'cut', height })
  }

  /** Ends the worker after its pending work: ending it within a transaction would leave the database locked. */
  async close(): Promise<void> {
    await this.#worker.close({ kind: 'close' }).catch(() => undefined)
  }
}
