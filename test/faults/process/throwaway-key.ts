import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bigintToBytes, bytesToBigint } from '../../../host/base/bytes.ts'
import { formatData, type Hex } from '../../../host/base/hex.ts'
import {
  encodeTransaction,
  GROUP_ORDER,
  MAX_S,
  signingDigest,
  type UnsignedTransaction,
} from '../../../host/evm/chain-types/transaction-codec.ts'

const { x: R } = secp256k1.Point.BASE.toAffine()

/**
 * An account that signs tens of thousands of transactions a second: ECDSA with the ephemeral key 1, so `r` is the
 * generator's, whose `y` is even, and a signature takes one multiplication. The signatures reveal the private key.
 */
export class ThrowawayKey {
  readonly address: Hex
  readonly #secret: bigint

  constructor(seed: number) {
    const secret = keccak_256(bigintToBytes(BigInt(seed), 32))
    this.#secret = bytesToBigint(secret)
    this.address = formatData(
      keccak_256(secp256k1.getPublicKey(secret, false).subarray(1)).slice(12),
    )
  }

  /** Returns the signed encoding of a transaction of any type with a plain parity, so not legacy. */
  sign(transaction: UnsignedTransaction): Uint8Array {
    const digest = bytesToBigint(signingDigest(transaction, keccak_256))
    const s = (digest + R * this.#secret) % GROUP_ORDER
    return s > MAX_S
      ? encodeTransaction(transaction, { v: 1n, r: R, s: GROUP_ORDER - s })
      : encodeTransaction(transaction, { v: 0n, r: R, s })
  }
}
