import type { Hex } from '../base/hex.ts'
import type { SignableTypedData } from '../payments/client/wallet.ts'

/** A transaction to send. The wallet chooses nonce, gas and fees. */
export interface WalletTransaction {
  readonly to: Hex
  /** In wei. */
  readonly value: bigint
  readonly data: Hex
  /** For wallets that support keys: a repeated key does not send again. */
  readonly idempotencyKey?: string | undefined
}

/** A wallet of an agent. Its key may be elsewhere, and it decides by itself what it signs. */
export interface AgentWallet {
  /** What kind of wallet it is, in words: where its key is. */
  readonly kind: string
  /** With the checksum of EIP-55. */
  readonly address: Hex
  /** Signs and sends. Resolves with the hash once the chain's node has the transaction. @throws ActionError */
  sendTransaction(transaction: WalletTransaction): Promise<Hex>
  /** Signs a text by EIP-191. @throws ActionError */
  signMessage(message: string): Promise<Hex>
  /** Signs by EIP-712. @throws ActionError */
  signTypedData(data: SignableTypedData): Promise<Hex>
}
