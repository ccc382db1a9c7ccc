import type { Hex } from '../../base/hex.ts'
import type { ApiCondition, ApiRule } from '../protocol/policy-shapes.ts'
import type { ApiAdditionalSigner } from '../protocol/wallet.ts'
import type { Camelled } from './json-names.ts'

export type Condition = Camelled<ApiCondition>
export type Rule = Camelled<ApiRule>
/** A rule to create. With the `id` of an existing rule it replaces that rule. */
export type NewRule = Omit<Rule, 'id'> & { readonly id?: string }
export type AdditionalSigner = Camelled<ApiAdditionalSigner>

/** An integer: a bigint, a safe integer, or 0x-hex. */
export type Quantity = bigint | number | Hex

/** The owner: a P-256 key (SPKI DER in base64), or the id of a key quorum. Null for the app alone. */
interface Ownership {
  readonly owner?: { readonly publicKey: string } | null | undefined
  readonly ownerId?: string | null | undefined
}

interface WalletSettings extends Ownership {
  readonly policyIds?: readonly string[] | undefined
  readonly additionalSigners?: readonly AdditionalSigner[] | undefined
  readonly displayName?: string | null | undefined
  readonly externalId?: string | null | undefined
}

export interface NewWallet extends WalletSettings {
  readonly chainType?: 'ethereum' | undefined
  /** Ids of registered authorization keys that own the wallet together. */
  readonly authorizationKeyIds?: readonly string[] | undefined
  readonly authorizationThreshold?: number | undefined
}

export interface ChangedWallet extends WalletSettings {
  readonly walletId: string
}

export interface NewPolicy extends Ownership {
  readonly name: string
  readonly version?: '1.0' | undefined
  readonly chainType?: 'ethereum' | undefined
  readonly rules: readonly NewRule[]
}

export interface ChangedPolicy extends Ownership {
  readonly policyId: string
  readonly name?: string | undefined
  readonly rules?: readonly NewRule[] | undefined
}

export interface NewKeyQuorum {
  readonly displayName?: string | null | undefined
  /** SPKI DER in base64 each. */
  readonly publicKeys?: readonly string[] | undefined
  readonly keyQuorumIds?: readonly string[] | undefined
  /** How many members must agree. Default: all. */
  readonly authorizationThreshold?: number | undefined
}

export interface PageInput {
  readonly cursor?: string | undefined
  /** 1 to 100. */
  readonly limit?: number | undefined
}

export interface WalletFilter extends PageInput {
  readonly address?: Hex | undefined
  readonly externalId?: string | undefined
  readonly includeArchived?: boolean | undefined
}

/** A signed EIP-7702 authorization. */
export interface Authorization7702 {
  readonly chainId: Quantity
  readonly contract: Hex
  readonly nonce: Quantity
  readonly r: Hex
  readonly s: Hex
  readonly yParity: 0 | 1
}

/** The service fills an omitted nonce, gas and fees. */
export interface Transaction {
  readonly to?: Hex | undefined
  readonly value?: Quantity | undefined
  readonly data?: Hex | Uint8Array | undefined
  readonly chainId?: Quantity | undefined
  readonly nonce?: Quantity | undefined
  readonly gasLimit?: Quantity | undefined
  readonly gasPrice?: Quantity | undefined
  readonly maxFeePerGas?: Quantity | undefined
  readonly maxPriorityFeePerGas?: Quantity | undefined
  readonly type?: 0 | 1 | 2 | 4 | undefined
  readonly accessList?:
    | readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[]
    | undefined
  readonly authorizationList?: readonly Authorization7702[] | undefined
}

/** EIP-712 typed data, as viem's `signTypedData` takes it. */
export interface TypedData {
  readonly domain?: object | undefined
  readonly types: object
  readonly primaryType: string
  readonly message: object
}

export interface SentTransaction {
  readonly hash: Hex
  readonly caip2: string
  readonly transactionId: string
  readonly referenceId?: string | null
}

/** A private key encrypted to the recipient (HPKE: P-256, HKDF-SHA256, ChaCha20-Poly1305). */
export interface EncryptedKey {
  readonly encryptionType: 'HPKE'
  /** base64. */
  readonly encapsulatedKey: string
  /** base64. */
  readonly ciphertext: string
}

export interface NewWebhook {
  readonly url: string
  /** Event types. Default: all. */
  readonly events?: readonly string[] | undefined
}

export interface Webhook {
  readonly id: string
  readonly url: string
  readonly events: readonly string[] | null
  readonly createdAt: number
}

export interface Balance {
  readonly chain: string
  readonly caip2: string
  readonly asset: string
  /** In the smallest unit. */
  readonly value: bigint
  readonly decimals: number
}
