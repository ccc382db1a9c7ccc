import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToBigint } from '../../base/bytes.ts'
import type { SignatureRecovery } from './signature-recovery.ts'

/** Hash and recovery in JavaScript, independent of engine.wasm. */
export const nobleRecovery: SignatureRecovery = {
  keccak256: (bytes) => keccak_256(bytes),
  recoverAddress(digest, yParity, r, s) {
    try {
      const point = new secp256k1.Signature(
        bytesToBigint(r),
        bytesToBigint(s),
        yParity,
      ).recoverPublicKey(digest)
      return keccak_256(point.toBytes(false).subarray(1)).slice(12)
    } catch {
      return undefined
    }
  },
}
