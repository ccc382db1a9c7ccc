import { MarkedEnv } from '../lmdb/marked-env.ts'
import type { BlockCaches } from './block-caches.ts'
import { type ChainDirs, LmdbChainStore } from './lmdb-chain-store.ts'

/** The chain's databases, which another thread has open too. */
export interface SharedChainDatabases {
  readonly chain: LmdbChainStore
  close(): Promise<void>
}

/** @throws STORE_CORRUPTED, STORE_FULL */
export function openSharedChain(
  { blocks, transactions, logs }: ChainDirs,
  caches?: BlockCaches,
): SharedChainDatabases {
  const open = (dir: string) => new MarkedEnv(dir, { isShared: true })
  const envs = [open(blocks), open(transactions), open(logs)] as const
  return {
    chain: new LmdbChainStore(...envs, caches),
    close: async () => {
      for (const env of envs) await env.close()
    },
  }
}
