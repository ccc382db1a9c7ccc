import type { Hex } from '../../base/hex.ts'

/** A log of a receipt. Hex is lower case. */
export interface PaymentLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
}

/** Receipt of a transaction in a canonical block. */
export interface PaymentReceipt {
  readonly succeeded: boolean
  readonly height: bigint
  /** Seconds since 1970. */
  readonly blockTime: bigint
  readonly logs: readonly PaymentLog[]
  /** Calldata of the transaction. */
  readonly input: Hex
}

/** A log with the hash of its transaction, which is in a canonical block. */
export interface PaymentTransactionLog extends PaymentLog {
  readonly txHash: Hex
  readonly height: bigint
}

/** Filter for the logs of one contract. */
export interface PaymentLogQuery {
  readonly address: Hex
  /** By position; null matches any value. */
  readonly topics: readonly (Hex | null)[]
  /** First block to search; the search ends at the latest block. */
  readonly fromHeight: bigint
}

/** Optional parameters of a call. */
export interface PaymentCallOptions {
  readonly from?: Hex
  /** Gas limit. */
  readonly gas?: bigint
}

/** The chain on which payments are made: this node's own, in process, or any node over JSON-RPC. */
export interface PaymentChain {
  readonly chainId: bigint
  /** Current chain time, seconds since 1970. Equals the machine's clock unless the chain's blocks are ahead of it. */
  now(): bigint
  /** Returns undefined if no canonical block has the transaction. */
  receipt(txHash: Hex): Promise<PaymentReceipt | undefined>
  /** Returns whether the pool or a block has the transaction. */
  has(txHash: Hex): Promise<boolean>
  /** Latest height. */
  height(): Promise<bigint>
  /** In chain order. */
  logs(query: PaymentLogQuery): Promise<readonly PaymentTransactionLog[]>
  /** Resolves when a new block arrives after the call, or when the signal aborts. */
  nextBlock(signal: AbortSignal): Promise<void>
  /**
   * Number of times that a development chain was reverted or changed by hand, after which nonces may be lower and
   * receipts gone. 0 on all other chains, whose blocks are final.
   */
  removals(): Promise<number>
  /** Calls a contract at the latest state. @throws EXECUTION_REVERTED, EXECUTION_FAILED if the call fails */
  call(to: Hex, data: Hex, options?: PaymentCallOptions): Promise<Hex>
  /** Next nonce of an account: after its transactions with a receipt, or including pool transactions. */
  nonce(address: Hex, at: 'latest' | 'pending'): Promise<bigint>
  /** Native balance at the latest state, in wei. */
  balance(address: Hex): Promise<bigint>
  /** Suggested maximum fee for the next blocks, wei per gas. */
  maxFeePerGas(): Promise<bigint>
  /** Submits a signed transaction and returns its hash. @throws TRANSACTION_REJECTED with the node's message */
  send(raw: Uint8Array): Promise<Hex>
}
