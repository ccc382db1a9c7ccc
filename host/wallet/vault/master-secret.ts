/** What opens the vault: the master key itself, 32 bytes, or a passphrase in UTF-8 that it is derived from. */
export interface MasterSecret {
  readonly kind: 'key' | 'passphrase'
  /** Zeroed by who has used it. */
  readonly bytes: Uint8Array
}
