import type { Hex } from '../../base/hex.ts'

/** Who may act for a wallet beside its owner, judged by policies of its own. */
export interface AdditionalSigner {
  /** A key quorum. */
  readonly signer_id: string
  readonly override_policy_ids?: readonly string[]
}

/** A wallet as the API shows it. Times are milliseconds since 1970. */
export interface Wallet {
  readonly id: string
  /** With the upper and lower case of EIP-55. */
  readonly address: Hex
  /** 0x-hex, 33 bytes. */
  readonly public_key: Hex
  readonly chain_type: 'ethereum'
  readonly policy_ids: readonly string[]
  /** The key quorum whose authorization is asked for; null where the app's secret alone suffices. */
  readonly owner_id: string | null
  readonly additional_signers: readonly AdditionalSigner[]
  readonly display_name: string | null
  readonly external_id: string | null
  readonly created_at: number
  readonly exported_at: number | null
  readonly imported_at: number | null
  readonly archived_at: number | null
}

/** Keys of which so many must agree. A single registered key is a quorum of one. */
export interface KeyQuorum {
  readonly id: string
  readonly display_name: string | null
  readonly authorization_threshold: number
  readonly authorization_keys: readonly {
    /** base64 of SPKI DER, P-256. */
    readonly public_key: string
    readonly display_name: string | null
  }[]
  /** Quorums that count as one approval each, of one level only. */
  readonly key_quorum_ids: readonly string[]
  readonly created_at: number
}
