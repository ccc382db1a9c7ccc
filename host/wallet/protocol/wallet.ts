import type { Hex } from '../../base/hex.ts'

/** A key quorum that may sign with a wallet in addition to its owner, under policies of its own. */
export interface ApiAdditionalSigner {
  /** The id of a key quorum. */
  readonly signer_id: string
  readonly override_policy_ids?: readonly string[]
}

/** A wallet as the API shows it. Times are milliseconds since 1970. */
export interface ApiWallet {
  readonly id: string
  /** With the checksum of EIP-55. */
  readonly address: Hex
  /** 33 bytes in 0x-hex. */
  readonly public_key: Hex
  readonly chain_type: 'ethereum'
  readonly policy_ids: readonly string[]
  /** The key quorum that must authorize requests. Null if the app's secret suffices. */
  readonly owner_id: string | null
  readonly additional_signers: readonly ApiAdditionalSigner[]
  readonly display_name: string | null
  readonly external_id: string | null
  readonly created_at: number
  readonly exported_at: number | null
  readonly imported_at: number | null
  readonly archived_at: number | null
}

/** Keys and how many of them must agree. A single registered key is a quorum of one. */
export interface ApiKeyQuorum {
  readonly id: string
  readonly display_name: string | null
  readonly authorization_threshold: number
  readonly authorization_keys: readonly {
    /** P-256, SPKI DER in base64. */
    readonly public_key: string
    readonly display_name: string | null
  }[]
  /** Nested quorums, which count as one approval each. Only one level. */
  readonly key_quorum_ids: readonly string[]
  readonly created_at: number
}
