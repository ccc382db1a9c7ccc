import type { Hex } from '../../base/hex.ts'
import type { Condition as ApiCondition, Rule as ApiRule } from '../protocol/policy-shapes.ts'
import type { AdditionalSigner as ApiAdditionalSigner } from '../protocol/wallet.ts'
import type { Camelled } from './json-names.ts'

export type Condition = Camelled<ApiCondition>
export type Rule = Camelled<ApiRule>
/** A rule that is not made yet; with the id of one that is, it stays that one. */
export type NewRule = Omit<Rule, 'id'> & { readonly id?: string }
export type AdditionalSigner = Camelled<ApiAdditionalSigner>

/** An integer: a bigint, a number that is exact, or 0x-hex. */
export type Quantity = bigint | number | Hex

/** Who decides over something: a P-256 key (base64 of SPKI DER), or a key quorum by its id; null for the app alone. */
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
  /** Registrations of authorization keys, which together own the wallet: not the ids that a dashboard shows. */
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
  /** base64 of SPKI DER each. */
  readonly publicKeys?: readonly string[] | undefined
  readonly keyQuorumIds?: readonly string[] | undefined
  /** How many of them must agree: all where it is absent. */
  readonly authorizationThreshold?: number | undefined
}

export interface Page {
  readonly cursor?: string | undefined
  /** 1 to 100. */
  readonly limit?: number | undefined
}

export interface WalletFilter extends Page {
  readonly address?: Hex | undefined
  readonly externalId?: string | undefined
  readonly includeArchived?: boolean | undefined
}

/** An authorization of EIP-7702, signed. */
export interface Authorization7702 {
  readonly chainId: Quantity
  readonly contract: Hex
  readonly nonce: Quantity
  readonly r: Hex
  readonly s: Hex
  readonly yParity: 0 | 1
}

/** What is left open is filled: nonce, gas and fees by the service. */
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

/** EIP-712, as `signTypedData` of viem takes it. */
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

/** A private key, encrypted to whom it was asked for (HPKE: P-256, HKDF-SHA256, ChaCha20-Poly1305). */
export interface EncryptedKey {
  readonly encryptionType: 'HPKE'
  /** base64. */
  readonly encapsulatedKey: string
  /** base64. */
  readonly ciphertext: string
}

export interface NewWebhook {
  readonly url: string
  /** Types of events; all where it is absent. */
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
  /** Smallest units. */
  readonly value: bigint
  readonly decimals: number
}
