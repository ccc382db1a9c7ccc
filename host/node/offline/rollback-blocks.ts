import type { BlockStore } from '../../chain/consensus/embedded/block-store.ts'
import type { UnfinishedRollback } from '../home/unfinished-rollback.ts'

/** The blocks of consensus, as a rollback of the home sees them. */
export interface RollbackBlocks {
  /** Newest block. */
  readonly height: number
  /** App hash after a height, where a later block states it or a stop has kept it. */
  appHash(height: number): Uint8Array | undefined
  /** True where the chain can go on from a height. */
  reaches(height: number): boolean
  /**
   * Has the blocks above the target executed again, or removes them. Cut short, it is called again.
   * @returns the rollback as the home goes on with it
   */
  rollBack(rollback: UnfinishedRollback): Promise<UnfinishedRollback>
  close(): Promise<void>
}

/** The blocks of the embedded engine. */
export class EmbeddedBlocks implements RollbackBlocks {
  readonly #store: BlockStore

  constructor(store: BlockStore) {
    this.#store = store
  }

  get height(): number {
    return this.#store.height
  }

  appHash(height: number): Uint8Array | undefined {
    return this.#store.block(height + 1)?.block.header.appHash ?? this.#store.appHash(height)
  }

  /** The block that the next one follows, with its results; the genesis needs none. */
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
