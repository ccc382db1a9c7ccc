/** A key at rest: everything is authenticated with the wallet's id and address. */
export interface SealedKey {
  readonly version: 1
  /** The wallet's data key under the master key: 12 bytes of nonce, 32 of ciphertext, 16 of tag. */
  readonly wrapped: Uint8Array
  /** The secret under the data key, in the same form. */
  readonly sealed: Uint8Array
  /** Which master key wraps it: the newest after a rotation. */
  readonly masterKey: number
}

/** Whose key it is; authenticated data of both layers. */
export interface KeyOwner {
  readonly walletId: string
  /** 20 bytes. */
  readonly address: Uint8Array
}

/** Holds the master key while the signer runs. */
export interface Vault {
  seal(secret: Uint8Array, owner: KeyOwner): SealedKey
  /** Gives `use` the 32 bytes and zeroes them afterwards. @throws STORE_CORRUPTED where they do not authenticate */
  open<T>(key: SealedKey, owner: KeyOwner, use: (secret: Uint8Array) => T): T
  /** The same key wrapped by the newest master key. */
  rewrap(key: SealedKey, owner: KeyOwner): SealedKey
  close(): void
}
