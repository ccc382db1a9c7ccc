import type { BlockCaches } from '../chain/block-caches.ts'
import type { ChainDirs, LmdbChainStore } from '../chain/lmdb-chain-store.ts'
import { openSharedChain, type SharedChainDatabases } from '../chain/shared-chain.ts'
import { StateReader } from './state-reader.ts'
import type { ChainDelta, StorageDelta } from './storage-delta.ts'

/** Blocks and states that the main thread writes, read on another thread: as of the last delta taken. */
export class StorageReader {
  readonly state = new StateReader()
  readonly #shared: SharedChainDatabases
  #hasBegun = false

  /** @throws STORE_CORRUPTED, STORE_FULL */
  constructor(dirs: ChainDirs, caches?: BlockCaches) {
    this.#shared = openSharedChain(dirs, caches)
  }

  /** For reading. */
  get chain(): LmdbChainStore {
    return this.#shared.chain
  }

  /** Applies the changes since the previous delta. */
  take({ chain, state }: StorageDelta): void {
    this.#takeChain(chain)
    this.state.take(state)
  }

  async close(): Promise<void> {
    this.state.close()
    await this.#shared.close()
  }

  #takeChain({ earliest, flushed, blocks }: ChainDelta): void {
    const { chain } = this
    // A running flush may have written blocks whose index rows are not written yet.
    if (!this.#hasBegun) chain.forgetAbove(flushed)
    this.#hasBegun = true
    for (const parts of blocks) chain.apply(parts)
    if (flushed > chain.flushed) chain.takeFlushed(flushed)
    if (earliest > chain.earliest) chain.takeRaised(earliest)
  }
}
