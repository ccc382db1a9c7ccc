import type { Hex } from '../../base/hex.ts'

/** A log of a receipt. Hex is lower case. */
export interface PaymentLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
}

/** A transaction in a block of the canonical chain. */
export interface PaymentReceipt {
  readonly succeeded: boolean
  readonly height: bigint
  /** Seconds since 1970. */
  readonly blockTime: bigint
  readonly logs: readonly PaymentLog[]
  /** Data of the transaction. */
  readonly input: Hex
}

/** A log of a transaction in a block of the canonical chain. */
export interface PlacedLog extends PaymentLog {
  readonly txHash: Hex
  readonly height: bigint
}

/** Logs of one contract. */
export interface LogQuery {
  readonly address: Hex
  /** By position; null leaves one open. */
  readonly topics: readonly (Hex | null)[]
  /** The first block that is looked at; the newest is the last. */
  readonly fromHeight: bigint
}

/** What a call runs with, where it matters. */
export interface CallOptions {
  readonly from?: Hex
  /** Gas limit. */
  readonly gas?: bigint
}

/** The chain on which payments are made: this node's own, in the process, or any node's JSON-RPC. */
export interface PaymentChain {
  readonly chainId: bigint
  /** The time as the chain's blocks have it, seconds since 1970: that of the machine where both agree. */
  now(): bigint
  /** Undefined while no canonical block has the transaction. */
  receipt(txHash: Hex): Promise<PaymentReceipt | undefined>
  /** Of the newest block. */
  height(): Promise<bigint>
  /** In the order of the chain. */
  logs(query: LogQuery): Promise<readonly PlacedLog[]>
  /** Resolves once a block is there that was not when it was called, and when the signal aborts. */
  nextBlock(signal: AbortSignal): Promise<void>
  /**
   * Number of times that a development chain was taken back, or changed by hand: nonces may be lower than before, and
   * receipts gone. 0 on all other chains, whose blocks stay.
   */
  removals(): Promise<number>
  /** What a call of the newest state returns. @throws EXECUTION_REVERTED, EXECUTION_FAILED where it fails */
  call(to: Hex, data: Hex, options?: CallOptions): Promise<Hex>
  /** Next nonce of an account: by the newest state, or with what waits in the pool. */
  nonce(address: Hex, at: 'latest' | 'pending'): Promise<bigint>
  /** Wei of the native token, by the newest state. */
  balance(address: Hex): Promise<bigint>
  /** Wei per gas that a transaction of the next blocks should offer at most. */
  maxFeePerGas(): Promise<bigint>
  /** Hands a signed transaction in; resolves with its hash. @throws TRANSACTION_REJECTED with the node's text */
  send(raw: Uint8Array): Promise<Hex>
}
