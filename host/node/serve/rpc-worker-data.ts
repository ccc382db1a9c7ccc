import type { MessagePort } from 'node:worker_threads'
import type { RpcLimits } from '../../api/rpc/call/limits.ts'
import type { CompressedPeers } from '../../api/server/content-coding.ts'
import type { Counts } from '../../base/metrics/thread-counts.ts'
import type { PoolRules } from '../../chain/consensus/mempool/pool-options.ts'
import type { BlockCaches } from '../../storage/store/chain/block-caches.ts'
import type { ChainDirs } from '../../storage/store/chain/lmdb-chain-store.ts'
import type { ReadContextOptions } from './read-context.ts'
import type { SlowRequest } from './slow-requests.ts'

/** Parameters for a worker to read blocks and states of this node's own chain. */
export interface ServedStorage extends ReadContextOptions {
  readonly dirs: ChainDirs
  readonly caches: BlockCaches
  readonly editions: MessagePort
}

/** Start parameters of the RPC workers; they request `submissions.ts`. */
export interface EvmWorkerParts {
  /** Undefined if threads cannot read the storage. */
  readonly storage: ServedStorage | undefined
  readonly chainId: bigint
  /** Shared word with the latest height, set in the same event-loop turn in which reads see its block. */
  readonly height: SharedArrayBuffer
  readonly clientVersion: string
  readonly denied: readonly string[]
  readonly limits: RpcLimits
  readonly corsOrigins: readonly string[]
  readonly compression: CompressedPeers
  /** Rules for transactions, recovery.wasm, and engine.wasm for hashing; undefined if the pool accepts none. */
  readonly admission:
    | {
        readonly rules: PoolRules
        readonly recovery: WebAssembly.Module
        readonly engine: WebAssembly.Module
      }
    | undefined
  /** Milliseconds after which a request is slow; 0 for never. */
  readonly slowMs: number
  /** Name of the broadcast channel of `ChangedSettings`. */
  readonly settings: string
  /** True if metrics are read. */
  readonly counts: boolean
}

/** Settings that changed while the worker runs. */
export type ChangedSettings = Pick<EvmWorkerParts, 'limits' | 'corsOrigins' | 'slowMs'> & {
  readonly minTip: bigint
}

/** A message from a worker. */
export type EvmWorkerNote =
  | { readonly kind: 'counts'; readonly counts: Counts }
  | { readonly kind: 'slow'; readonly request: SlowRequest }
  /** A method failed otherwise than by an error of the table. */
  | { readonly kind: 'defect'; readonly method: string; readonly text: string }
