import type { Counts } from '../../metrics/metrics.ts'
import type { RpcLimits } from '../../rpc/call/limits.ts'
import type { CompressedPeers } from '../../server/content-coding.ts'

/** What the threads that serve the EVM JSON-RPC are started with. */
export interface ServingData {
  readonly chainId: bigint
  /** A word with the newest height: set in the turn in which reads see its block. */
  readonly height: SharedArrayBuffer
  readonly clientVersion: string
  readonly denied: readonly string[]
  readonly limits: RpcLimits
  readonly corsOrigins: readonly string[]
  readonly compression: CompressedPeers
  /** True where somebody reads metrics. */
  readonly counts: boolean
}

/** What such a thread has to say. */
export type ServingNote =
  | { readonly kind: 'counts'; readonly counts: Counts }
  /** A method failed otherwise than by an error of the table. */
  | { readonly kind: 'defect'; readonly method: string; readonly text: string }
