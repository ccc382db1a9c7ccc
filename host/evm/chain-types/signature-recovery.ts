/** Hash and public-key recovery. Implemented by engine.wasm and by `nobleRecovery`. */
export interface SignatureRecovery {
  /** Keccak-256, 32 bytes. */
  keccak256(bytes: Uint8Array): Uint8Array
  /**
   * Returns the 20-byte address of the secp256k1 key that signed `digest`; undefined if the signature is invalid. `r`
   * and `s` are 32 bytes, big-endian.
   */
  recoverAddress(
    digest: Uint8Array,
    yParity: 0 | 1,
    r: Uint8Array,
    s: Uint8Array,
  ): Uint8Array | undefined
}

/** Asynchronous recovery, by a worker. */
export interface DeferredRecovery {
  /** Resolves with the result of `SignatureRecovery.recoverAddress`. */
  recoverAddress(
    digest: Uint8Array,
    yParity: 0 | 1,
    r: Uint8Array,
    s: Uint8Array,
  ): Promise<Uint8Array | undefined>
}

/** Keccak-256, 32 bytes. */
export type Keccak256 = SignatureRecovery['keccak256']
