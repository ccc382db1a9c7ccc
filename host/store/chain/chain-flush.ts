import { decodeRecord } from '../codec/record-codec.ts'
import { MarkedEnv } from '../lmdb/marked-env.ts'
import type { ChainDirs, StoreWork, Written } from '../store-messages.ts'
import { readWalRecord } from '../wal/write-ahead-log.ts'
import { LmdbChainStore } from './lmdb-chain-store.ts'

type ChainWork = Extract<StoreWork, { kind: 'chain' }>

/** Writes the blocks of log records to the chain's databases, which stay open from flush to flush. */
export class ChainFlush {
  #envs: readonly MarkedEnv[] = []
  #chain: LmdbChainStore | undefined

  async write({ dirs, first, records }: ChainWork): Promise<Written> {
    this.#chain ??= this.#open(dirs)
    const last = records.at(-1)
    if (last === undefined) return []
    for (const location of records) {
      this.#chain.apply(decodeRecord(location.height, readWalRecord(location)))
    }
    await this.#chain.flush(first, last.height)
    return []
  }

  async close(): Promise<Written> {
    for (const env of this.#envs) await env.close()
    return []
  }

  #open(dirs: ChainDirs): LmdbChainStore {
    // The main thread has them open.
    const options = { isShared: true }
    const blocks = new MarkedEnv(dirs.blocks, options)
    const transactions = new MarkedEnv(dirs.transactions, options)
    const logs = new MarkedEnv(dirs.logs, options)
    this.#envs = [blocks, transactions, logs]
    return new LmdbChainStore(blocks, transactions, logs)
  }
}
