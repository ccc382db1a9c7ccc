/** The secret that opens the vault: the 32-byte master key, or a UTF-8 passphrase to derive it from. */
export interface MasterSecret {
  readonly kind: 'key' | 'passphrase'
  /** Zeroed after use. */
  readonly bytes: Uint8Array
}
