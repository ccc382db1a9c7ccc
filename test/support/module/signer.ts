import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { hexDigits } from '../../../host/base/hex.ts'
import { addressOfKey, toBech32 } from './bech32-model.ts'

/** A key with both of its addresses, computed by the noble packages. */
export class Signer {
  readonly compressed: Uint8Array
  readonly evm: Uint8Array
  readonly other: Uint8Array
  readonly #secret: Uint8Array

  constructor(seed: string) {
    this.#secret = keccak_256(new TextEncoder().encode(seed))
    this.compressed = secp256k1.getPublicKey(this.#secret, true)
    this.evm = keccak_256(secp256k1.getPublicKey(this.#secret, false).subarray(1)).subarray(12)
    this.other = addressOfKey(this.compressed)
  }

  /** The other address in bech32. */
  get bech32(): string {
    return toBech32('sei', this.other)
  }

  /** Returns arguments of `associate` for a text. `base` is added to v. */
  sign(text: string, base = 0): [v: string, r: string, s: string, text: string] {
    const digest = keccak_256(new TextEncoder().encode(text))
    const options = { prehash: false, format: 'recovered' } as const
    const signature = secp256k1.sign(digest, this.#secret, options)
    const half = (from: number) => `0x${hexDigits(signature.subarray(from, from + 32))}`
    return [`0x${((signature[0] as number) + base).toString(16)}`, half(1), half(33), text]
  }
}
