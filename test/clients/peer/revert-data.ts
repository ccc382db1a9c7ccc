import { bigintToBytes, concatBytes } from '../../../host/base/bytes.ts'

/** Encodes revert data with Solidity's `Error(string)`. */
export function encodeAbi(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text)
  const padded = new Uint8Array(32 * Math.ceil(bytes.length / 32))
  padded.set(bytes)
  return concatBytes([
    Uint8Array.of(0x08, 0xc3, 0x79, 0xa0),
    bigintToBytes(32n, 32),
    bigintToBytes(BigInt(bytes.length), 32),
    padded,
  ])
}
