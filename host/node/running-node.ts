import type { Hex } from '../base/hex.ts'

/** Where a node answers. */
export interface NodeUrls {
  /** EVM JSON-RPC over HTTP; absent when it is off. */
  readonly rpc?: string
  /** EVM JSON-RPC over WebSocket; absent when it is off. */
  readonly ws?: string
  /** The explorer's page; absent where it is not served. */
  readonly explorer?: string
  /** Absent where an imported chain is served, which has no consensus. */
  readonly consensus?: string
  /** Absent when metrics are off. */
  readonly metrics?: string
  /** Where resources are sold; absent where nothing is. */
  readonly payments?: string
  /** The token that they are paid in. */
  readonly paymentToken?: Hex
  /** Where the API of wallets answers; absent where none are held. */
  readonly wallets?: string
}

/** A node that answers on all its addresses. */
export interface RunningNode {
  readonly urls: NodeUrls
  /** Finishes the block and the requests in progress, then closes everything. */
  stop(): Promise<void>
  /** Resolves with the height of `halt-height` once its block is committed. */
  readonly halted?: Promise<number>
  /** Never resolves; rejects with the error after which the node cannot go on. */
  readonly failed: Promise<never>
}
