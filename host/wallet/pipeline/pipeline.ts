import type { Hex } from '../../base/hex.ts'
import type { Asked } from '../signer/signer-link.ts'

export const TRANSACTION_STATUSES = [
  'pending',
  'broadcasted',
  'confirmed',
  'finalized',
  'execution_reverted',
  'replaced',
  'failed',
  'provider_error',
] as const

export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number]

/** A transaction as the API shows it. Times are milliseconds since 1970. */
export interface TransactionRecord {
  readonly id: string
  readonly wallet_id: string
  readonly caip2: string
  readonly transaction_hash: Hex | null
  readonly status: TransactionStatus
  readonly reference_id: string | null
  readonly created_at: number
}

/** What a wallet sends, from the moment it is asked for. */
export interface Pipeline {
  /** Resolves once the signed bytes are on disk and the chain's node has taken them. */
  send(asked: Asked, walletId: string, body: unknown): Promise<TransactionRecord>
  /** eth_signTransaction: fills what the caller left open and signs; sends nothing. */
  sign(asked: Asked, walletId: string, body: unknown): Promise<Hex>
  /** Sends the same nonce again for higher fees. */
  replace(asked: Asked, transactionId: string, body: unknown): Promise<TransactionRecord>
  find(appId: string, transactionId: string): TransactionRecord | undefined
  list(
    appId: string,
    walletId: string,
    page: { cursor?: string; limit: number },
  ): readonly TransactionRecord[]
  close(): Promise<void>
}
