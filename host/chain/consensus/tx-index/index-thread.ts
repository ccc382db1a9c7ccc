import { WorkerClient } from '../../../base/worker/worker-client.ts'
import { type IndexBlock, transferOf } from './index-block.ts'
import type { IndexRemoval, IndexWork } from './index-messages.ts'

/** Thread that writes the index. It starts with the first task and runs one at a time. */
export class TransactionIndexThread {
  readonly #worker: WorkerClient<IndexWork>

  /** @param dir directory of the index, which the caller has opened and checked */
  constructor(dir: string, script = new URL('./index-worker.ts', import.meta.url)) {
    this.#worker = new WorkerClient({
      script,
      name: 'the thread of the transaction index',
      workerData: dir,
    })
  }

  /** Resolves when the blocks are on disk. Their buffers are transferred. */
  write(blocks: readonly IndexBlock[], pruneHeight: number): Promise<void> {
    return this.#worker.run(
      { removed: undefined, blocks, pruneHeight, isLast: false },
      blocks.flatMap(transferOf),
    )
  }

  /** Resolves when the rows of removed blocks are deleted. The buffers are transferred. */
  remove(removed: IndexRemoval): Promise<void> {
    const transfer = removed.blocks.flatMap(transferOf)
    return this.#worker.run({ removed, blocks: [], pruneHeight: 0, isLast: false }, transfer)
  }

  /** Ends the thread after its current task: termination within a transaction would leave the database locked. */
  async close(): Promise<void> {
    const last: IndexWork = { removed: undefined, blocks: [], pruneHeight: 0, isLast: true }
    await this.#worker.close(last).catch(() => undefined)
  }
}
