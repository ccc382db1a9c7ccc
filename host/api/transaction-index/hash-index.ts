import { equalBytes } from '../../base/bytes.ts'
import { yieldToEventLoop } from '../../base/yield-to-event-loop.ts'
import { sha256 } from '../../chain/consensus/comet/sha256.ts'
import type { ChainStore } from '../../storage/store/chain/chain-store.ts'
import { type IndexedPosition, ROW_KIND, type RowKind } from './hash-rows.ts'
import { HashStore } from './hash-store.ts'
import type { IndexWorkerClient } from './index-worker-client.ts'
import { FIRST_INDEXED, IndexedTable, type IndexTableOptions } from './indexed-table.ts'

/** Hashes compared per event loop iteration: about a millisecond. */
const PAUSE_HASHES = 1024

/** Finds transactions by SHA-256, sender and recipient. Blocks that are not yet indexed are searched directly. */
export class HashIndex extends IndexedTable<HashStore> {
  readonly name = 'hashes'

  constructor(chain: ChainStore, worker: IndexWorkerClient, options: IndexTableOptions) {
    super((dir) => new HashStore(dir), chain, worker, options)
  }

  protected get first(): number {
    return Math.max(this.chain.earliest, FIRST_INDEXED)
  }

  /** Returns the position of the transaction with this SHA-256. */
  async find(hash: Uint8Array): Promise<IndexedPosition | undefined> {
    const { earliest, latest } = this.chain
    const indexed = this.height
    for (const place of this.places(ROW_KIND.HASH, hash, 0, indexed)) {
      const raw = this.chain.transaction(place.height, place.index)
      if (raw !== undefined && equalBytes(sha256(raw), hash)) return place
    }
    let compared = 0
    for (let height = Math.max(indexed + 1, earliest); height <= latest; height++) {
      const transactions = this.chain.block(height)?.transactions ?? []
      for (const [index, raw] of transactions.entries()) {
        if (equalBytes(sha256(raw), hash)) return { height, index }
        if (++compared % PAUSE_HASHES === 0) await yieldToEventLoop()
      }
    }
    return undefined
  }

  /** Returns the indexed positions of an address, or a superset of those of a hash, at heights `from` to `to`. */
  places(kind: RowKind, item: Uint8Array, from: number, to: number): Iterable<IndexedPosition> {
    return this.store.places(kind, item, Math.max(from, this.first), Math.min(to, this.height))
  }
}
