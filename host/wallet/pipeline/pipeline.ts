import type { Hex } from '../../base/hex.ts'
import type { TransactionStatus } from '../protocol/chain-shapes.ts'
import type { Asked, SignAnswer } from '../signer/signer-link.ts'

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

/** 0x-hex, or an integer that a double holds exactly. */
type Quantity = Hex | number

/** The part of a request's transaction that the pipeline reads; the signer reads the whole of it by itself. */
export interface TransactionFields {
  readonly to?: Hex | undefined
  readonly value?: Quantity | undefined
  readonly data?: Hex | undefined
  readonly chain_id?: Quantity | undefined
  readonly nonce?: Quantity | undefined
  readonly gas_limit?: Quantity | undefined
  readonly gas_price?: Quantity | undefined
  readonly max_fee_per_gas?: Quantity | undefined
  readonly max_priority_fee_per_gas?: Quantity | undefined
  readonly type?: 0 | 1 | 2 | 4 | undefined
  readonly access_list?: readonly AccessEntry[] | undefined
  readonly authorization_list?: readonly DelegationEntry[] | undefined
}

interface AccessEntry {
  readonly address: Hex
  readonly storage_keys: readonly Hex[]
}

interface DelegationEntry {
  readonly chain_id: Quantity
  readonly contract: Hex
  readonly nonce: Quantity
  readonly r: Hex
  readonly s: Hex
  readonly y_parity: 0 | 1
}

/** Body of `/rpc` with eth_sendTransaction or eth_signTransaction, in snake case. */
export interface TransactionBody {
  readonly caip2?: string | undefined
  readonly params: { readonly transaction: TransactionFields }
  readonly reference_id?: string | undefined
}

/** Body of `/rpc` with eth_sign7702Authorization, in snake case. */
export interface DelegationBody {
  readonly params: {
    readonly chain_id: Quantity
    readonly nonce?: Quantity | undefined
    /** Who sends it is who delegates: its nonce is one higher by then. */
    readonly executor?: 'self' | undefined
  }
}

/** What a replacement offers; where nothing is named, what the chain asks of one. */
export type ReplacementFees = Pick<
  TransactionFields,
  'max_fee_per_gas' | 'max_priority_fee_per_gas' | 'gas_price'
>

/** Which balances are wanted: of the native token of each chain if nothing is said. */
export interface BalanceFilter {
  /** CAIP-2. */
  readonly chain?: string | undefined
  /** The native token by its name, or `usdc`. */
  readonly asset?: string | undefined
  /** `<CAIP-2>:<address>`. */
  readonly token?: string | undefined
}

export interface AssetBalance {
  /** CAIP-2; `chain` is the same for clients that know names. */
  readonly caip2: string
  readonly chain: string
  readonly asset: string
  /** Smallest units, decimal. */
  readonly raw_value: string
  readonly raw_value_decimals: number
  readonly display_values: Readonly<Record<string, string>>
}

export interface TransactionPage {
  readonly transactions: readonly TransactionRecord[]
  readonly next_cursor: string | null
}

/**
 * What a wallet sends, from the moment it is asked for.
 *
 * A WalletError whose details have a `transaction_id` is thrown after signed bytes may have left: it must not be tried
 * again, and is answered with `x-should-retry: false`.
 */
export interface Pipeline {
  /**
   * Resolves once the signed bytes are on disk and the chain's node has taken them; with the status `pending` where it
   * did not answer: they are sent until it does. The same idempotency key, or the same request with an expiry, is
   * answered with the transaction that it has made.
   */
  send(asked: Asked, walletId: string, body: TransactionBody): Promise<TransactionRecord>
  /** eth_signTransaction: fills what the caller left open and signs; sends nothing. */
  sign(asked: Asked, walletId: string, body: TransactionBody): Promise<Hex>
  /** eth_sign7702Authorization: fills the nonce where the caller left it open. */
  authorize(asked: Asked, walletId: string, body: DelegationBody): Promise<SignAnswer>
  /** `POST /v1/transactions/{id}/replace`, signed as such: sends the same nonce again for higher fees. */
  replace(asked: Asked, transactionId: string, fees: ReplacementFees): Promise<TransactionRecord>
  find(appId: string, transactionId: string): TransactionRecord | undefined
  /** The newest first. @throws WalletError where the cursor is none */
  list(
    appId: string,
    walletId: string,
    page: {
      readonly cursor?: string | undefined
      readonly limit?: number | undefined
      readonly hash?: string | undefined
      /** CAIP-2. */
      readonly chain?: string | undefined
    },
  ): TransactionPage
  /** @throws WalletError for what no chain has */
  balances(
    appId: string,
    walletId: string,
    filter?: BalanceFilter,
  ): Promise<readonly AssetBalance[]>
  close(): Promise<void>
}
