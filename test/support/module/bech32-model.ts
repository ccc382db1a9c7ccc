import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]

function polymod(values: readonly number[]): number {
  let checksum = 1
  for (const value of values) {
    const top = checksum >>> 25
    checksum = ((checksum & 0x1ffffff) << 5) ^ value
    GENERATOR.forEach((each, i) => {
      if ((top >>> i) & 1) checksum ^= each
    })
  }
  return checksum
}

/** Encodes an address in bech32, implemented from BIP-173. */
export function toBech32(prefix: string, address: Uint8Array): string {
  const bits = [...address].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const words = (bits.match(/.{5}/g) ?? []).map((five) => Number.parseInt(five, 2))
  const codes = [...prefix].map((character) => character.charCodeAt(0))
  const expanded = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)]
  const sum = polymod([...expanded, ...words, 0, 0, 0, 0, 0, 0]) ^ 1
  const check = Array.from({ length: 6 }, (_, i) => (sum >>> (5 * (5 - i))) & 31)
  return `${prefix}1${[...words, ...check].map((word) => ALPHABET[word]).join('')}`
}

/** Returns the 20-byte address of a 33-byte public key. */
export function addressOfKey(compressed: Uint8Array): Uint8Array {
  return ripemd160(sha256(compressed))
}
