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
 * An account that signs tens of thousands of transactions a second, by ECDSA whose ephemeral key is 1: `r` is that of
 * the generator, whose `y` is even, and a signature costs one multiplication. It shows the private key to whoever reads it.
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

  /** Network encoding of a transaction that carries the parity as it is, so of any type but legacy. */
  sign(transaction: UnsignedTransaction): Uint8Array {
    const digest = bytesToBigint(signingDigest(transaction, keccak_256))
    const s = (digest + R * this.#secret) % GROUP_ORDER
    return s > MAX_S
      ? encodeTransaction(transaction, { v: 1n, r: R, s: GROUP_ORDER - s })
      : encodeTransaction(transaction, { v: 0n, r: R, s })
  }
}
