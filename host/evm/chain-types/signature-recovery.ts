/**
 * Hash and public-key recovery. The engine's module has both; whoever decodes transactions is handed
 * an implementation and does not know which.
 */
export interface SignatureRecovery {
  /** Keccak-256, 32 bytes. */
  keccak256(bytes: Uint8Array): Uint8Array
  /**
   * Address of the secp256k1 key that signed `digest`, 20 bytes; undefined where no key gives this
   * signature. `r` and `s` are 32 bytes, big-endian.
   */
  recoverAddress(
    digest: Uint8Array,
    yParity: 0 | 1,
    r: Uint8Array,
    s: Uint8Array,
  ): Uint8Array | undefined
}

/** Recovery that answers later: by a worker. */
export interface DeferredRecovery {
  /** Resolves with what `SignatureRecovery.recoverAddress` returns. */
  recoverAddress(
    digest: Uint8Array,
    yParity: 0 | 1,
    r: Uint8Array,
    s: Uint8Array,
  ): Promise<Uint8Array | undefined>
}

/** Keccak-256, 32 bytes. */
export type Keccak256 = SignatureRecovery['keccak256']
