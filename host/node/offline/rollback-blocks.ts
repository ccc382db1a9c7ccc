import type { ConsensusBlockStore } from '../../chain/consensus/embedded/block-store.ts'
import type { UnfinishedRollback } from '../home/unfinished-rollback.ts'

/** Consensus blocks, as used by a rollback of the home. */
export interface RollbackBlocks {
  /** Height of the latest block. */
  readonly height: number
  /** Returns the app hash after a height, if a later block states it or a clean stop stored it. */
  appHash(height: number): Uint8Array | undefined
  /** Returns whether the chain can continue from a height. */
  reaches(height: number): boolean
  /**
   * Removes the blocks above the target, or has them executed again. May be called again if interrupted.
   * @returns the rollback to continue with
   */
  rollBack(rollback: UnfinishedRollback): Promise<UnfinishedRollback>
  close(): Promise<void>
}

/** Blocks of the embedded engine. */
export class EmbeddedBlocks implements RollbackBlocks {
  readonly #store: ConsensusBlockStore

  constructor(store: ConsensusBlockStore) {
    this.#store = store
  }

  get height(): number {
    return this.#store.height
  }

  appHash(height: number): Uint8Array | undefined {
    return this.#store.block(height + 1)?.block.header.appHash ?? this.#store.appHash(height)
  }

  /** The next block needs its parent and the parent's results; the genesis needs neither. */
  reaches(height: number): boolean {
    const store = this.#store
    if (height === 0) return store.base <= 1
    return store.decided(height) !== undefined && store.results(height) !== undefined
  }

  async rollBack(rollback: UnfinishedRollback): Promise<UnfinishedRollback> {
    if (rollback.hard) this.#store.cut(rollback.target)
    else this.#store.forgetResults(rollback.target)
    return rollback
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}
