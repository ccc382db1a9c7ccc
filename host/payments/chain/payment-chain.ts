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

/** The chain on which payments are made: this node's own, in the process, or any node's JSON-RPC. */
export interface PaymentChain {
  readonly chainId: bigint
  /** The time as the chain's blocks have it, seconds since 1970: that of the machine where both agree. */
  now(): bigint
  /** Undefined while no canonical block has the transaction. */
  receipt(txHash: Hex): Promise<PaymentReceipt | undefined>
  /** Resolves once a block is there that was not when it was called, and when the signal aborts. */
  nextBlock(signal: AbortSignal): Promise<void>
  /** What a call of the newest state returns. @throws where it reverts */
  call(to: Hex, data: Hex): Promise<Hex>
  /** Next nonce of an account, what waits in the pool included. */
  nonce(address: Hex): Promise<bigint>
  /** Wei per gas that a transaction of the next blocks should offer at most. */
  maxFeePerGas(): Promise<bigint>
  /** Hands a signed transaction in; resolves with its hash. @throws TRANSACTION_REJECTED with the node's text */
  send(raw: Uint8Array): Promise<Hex>
}
