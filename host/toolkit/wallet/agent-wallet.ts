import type { Hex } from '../../base/hex.ts'
import type { TypedData } from '../../payments/client/wallet.ts'

/** What is to be sent. Nonce, gas and fees are the wallet's own business. */
export interface WalletTransaction {
  readonly to: Hex
  /** Wei. */
  readonly value: bigint
  readonly data: Hex
  /** Of wallets that keep one: the same key sends the same transaction once. */
  readonly idempotencyKey?: string | undefined
}

/** A wallet that an agent acts with. It need not have the key, and decides by itself what it signs. */
export interface AgentWallet {
  /** What it is, in words: where its key is. */
  readonly kind: string
  /** With the upper and lower case of EIP-55. */
  readonly address: Hex
  /** Signs and sends; resolves with the hash once it is handed to the chain. @throws ActionError */
  sendTransaction(transaction: WalletTransaction): Promise<Hex>
  /** Signs a text by EIP-191. @throws ActionError */
  signMessage(message: string): Promise<Hex>
  /** Signs by EIP-712. @throws ActionError */
  signTypedData(data: TypedData): Promise<Hex>
}
