import { WorkerClient } from '../../../base/worker/worker-client.ts'
import { type IndexBlock, transferOf } from './index-block.ts'
import type { IndexRemoval, IndexWork } from './index-messages.ts'

/** The thread that writes the index, one piece of work at a time; it starts with the first. */
export class IndexThread {
  readonly #worker: WorkerClient<IndexWork>

  /** @param dir that of the index, which the caller has open and checked */
  constructor(dir: string, script = new URL('./index-worker.ts', import.meta.url)) {
    this.#worker = new WorkerClient({
      script,
      name: 'the thread of the transaction index',
      workerData: dir,
    })
  }

  /** Resolves once the blocks are on disk. They change hands. */
  write(blocks: readonly IndexBlock[], pruneHeight: number): Promise<void> {
    return this.#worker.run(
      { removed: undefined, blocks, pruneHeight, isLast: false },
      blocks.flatMap(transferOf),
    )
  }

  /** Resolves once the rows of blocks that have left the chain are gone. They change hands. */
  remove(removed: IndexRemoval): Promise<void> {
    const transfer = removed.blocks.flatMap(transferOf)
    return this.#worker.run({ removed, blocks: [], pruneHeight: 0, isLast: false }, transfer)
  }

  /** Ends the thread after the work that it has: within a transaction it would leave the database locked. */
  async close(): Promise<void> {
    const last: IndexWork = { removed: undefined, blocks: [], pruneHeight: 0, isLast: true }
    await this.#worker.close(last).catch(() => undefined)
  }
}
