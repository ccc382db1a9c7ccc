import type { Hex } from '../../base/hex.ts'
import type { TransactionStatus } from '../protocol/chain-shapes.ts'
import type { SignAnswer, SignerRequest } from '../signer/signer-link.ts'

/** A transaction as the API shows it. Times are milliseconds since 1970. */
export interface ApiTransaction {
  readonly id: string
  readonly wallet_id: string
  readonly caip2: string
  readonly transaction_hash: Hex | null
  readonly status: TransactionStatus
  readonly reference_id: string | null
  readonly created_at: number
}

/** 0x-hex, or a safe integer. */
type Quantity = Hex | number

/** The fields that the pipeline reads. The signer parses the whole request by itself. */
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
export interface PipelineTransactionBody {
  readonly caip2?: string | undefined
  readonly params: { readonly transaction: TransactionFields }
  readonly reference_id?: string | undefined
}

/** Body of `/rpc` with eth_sign7702Authorization, in snake case. */
export interface DelegationBody {
  readonly params: {
    readonly chain_id: Quantity
    readonly nonce?: Quantity | undefined
    /** `self` if the wallet sends the transaction itself: its nonce is then one higher. */
    readonly executor?: 'self' | undefined
  }
}

/** Fees of a replacement. Omitted ones are filled from the chain. */
export type ReplacementFees = Pick<
  TransactionFields,
  'max_fee_per_gas' | 'max_priority_fee_per_gas' | 'gas_price'
>

/** Selects balances. Default: the native token of each chain. */
export interface BalanceFilter {
  /** CAIP-2. */
  readonly chain?: string | undefined
  /** Name of the native token, or `usdc`. */
  readonly asset?: string | undefined
  /** `<CAIP-2>:<address>`. */
  readonly token?: string | undefined
}

export interface AssetBalance {
  /** CAIP-2. `chain` has the same value, for clients that expect names. */
  readonly caip2: string
  readonly chain: string
  readonly asset: string
  /** Decimal, in the smallest unit. */
  readonly raw_value: string
  readonly raw_value_decimals: number
  readonly display_values: Readonly<Record<string, string>>
}

export interface WalletTransactionPage {
  readonly transactions: readonly ApiTransaction[]
  readonly next_cursor: string | null
}

/**
 * Fills, signs, broadcasts and follows the transactions of wallets.
 *
 * A WalletError with a `transaction_id` in its details is thrown after signed bytes may have been sent. The caller
 * must not retry: the API answers with `x-should-retry: false`.
 */
export interface Pipeline {
  /**
   * Resolves after the signed bytes are on disk and the chain's node has accepted them. If the node did not answer,
   * the status is `pending` and the bytes are rebroadcast until it does. A repeated idempotency key, or a repeated
   * request with an expiry, gets the transaction of the first request.
   */
  send(
    asked: SignerRequest,
    walletId: string,
    body: PipelineTransactionBody,
  ): Promise<ApiTransaction>
  /** eth_signTransaction: fills omitted fields and signs. Sends nothing. */
  sign(asked: SignerRequest, walletId: string, body: PipelineTransactionBody): Promise<Hex>
  /** eth_sign7702Authorization: fills the nonce if the caller omits it. */
  authorize(asked: SignerRequest, walletId: string, body: DelegationBody): Promise<SignAnswer>
  /** `POST /v1/transactions/{id}/replace`: sends the same nonce again with higher fees. */
  replace(
    asked: SignerRequest,
    transactionId: string,
    fees: ReplacementFees,
  ): Promise<ApiTransaction>
  find(appId: string, transactionId: string): ApiTransaction | undefined
  /** Returns a page of transactions, latest first. @throws WalletError if the cursor is invalid */
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
  ): WalletTransactionPage
  /** @throws WalletError if no configured chain has the asset */
  balances(
    appId: string,
    walletId: string,
    filter?: BalanceFilter,
  ): Promise<readonly AssetBalance[]>
  close(): Promise<void>
}
