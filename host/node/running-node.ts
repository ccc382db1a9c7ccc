import type { Hex } from '../base/hex.ts'

/** URLs that a node serves. */
export interface NodeUrls {
  /** EVM JSON-RPC over HTTP; absent if off. */
  readonly rpc?: string
  /** EVM JSON-RPC over WebSocket; absent if off. */
  readonly ws?: string
  /** The explorer; absent if off. */
  readonly explorer?: string
  /** Consensus RPC; absent for an imported chain, which has no consensus. */
  readonly consensus?: string
  /** Absent if metrics are off. */
  readonly metrics?: string
  /** Payment gate; absent if nothing is sold. */
  readonly payments?: string
  /** Token in which payments are made. */
  readonly paymentToken?: Hex
  /** Wallet API; absent if off. */
  readonly wallets?: string
}

/** A node that serves all its addresses. */
export interface RunningNode {
  readonly urls: NodeUrls
  /** Finishes the block and the requests in progress, then closes everything. */
  stop(): Promise<void>
  /** Resolves with the last height, at `halt-height` or `halt-time`. */
  readonly halted?: Promise<number>
  /** Never resolves; rejects with an error after which the node cannot continue. */
  readonly failed: Promise<never>
}
