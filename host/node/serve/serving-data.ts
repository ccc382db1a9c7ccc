import type { MessagePort } from 'node:worker_threads'
import type { RpcLimits } from '../../api/rpc/call/limits.ts'
import type { CompressedPeers } from '../../api/server/content-coding.ts'
import type { Counts } from '../../base/metrics/thread-counts.ts'
import type { PoolRules } from '../../chain/consensus/mempool/pool-options.ts'
import type { BlockCaches } from '../../storage/store/chain/block-caches.ts'
import type { ChainDirs } from '../../storage/store/chain/lmdb-chain-store.ts'
import type { ReadContextOptions } from './read-context.ts'

/** What a thread reads blocks and states with, on this node's own chain. */
export interface ServedStorage extends ReadContextOptions {
  readonly dirs: ChainDirs
  readonly caches: BlockCaches
  readonly editions: MessagePort
}

/** What the threads that serve the EVM JSON-RPC are started with; they ask for `submissions.ts`. */
export interface ServingData {
  /** Undefined where threads cannot read the storage. */
  readonly storage: ServedStorage | undefined
  readonly chainId: bigint
  /** A word with the newest height: set in the turn in which reads see its block. */
  readonly height: SharedArrayBuffer
  readonly clientVersion: string
  readonly denied: readonly string[]
  readonly limits: RpcLimits
  readonly corsOrigins: readonly string[]
  readonly compression: CompressedPeers
  /** What every transaction must keep, recovery.wasm, and engine.wasm to hash by; undefined where the pool takes none. */
  readonly admission:
    | {
        readonly rules: PoolRules
        readonly recovery: WebAssembly.Module
        readonly engine: WebAssembly.Module
      }
    | undefined
  /** True where somebody reads metrics. */
  readonly counts: boolean
}

/** What such a thread has to say. */
export type ServingNote =
  | { readonly kind: 'counts'; readonly counts: Counts }
  /** A method failed otherwise than by an error of the table. */
  | { readonly kind: 'defect'; readonly method: string; readonly text: string }
