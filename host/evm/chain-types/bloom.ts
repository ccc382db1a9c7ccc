import type { Log } from './log.ts'
import type { Keccak256 } from './signature-recovery.ts'

export const BLOOM_BYTES = 256

/** Bloom of an empty list of logs. Most receipts share it. */
export const EMPTY_BLOOM: Uint8Array = new Uint8Array(BLOOM_BYTES)

/** The three bit positions, of 2048, that an item sets. */
export type BloomBits = readonly [number, number, number]

/** Returns the bits of an item (Yellow Paper, section 4.3.1). */
export function bloomBits(item: Uint8Array, keccak256: Keccak256): BloomBits {
  const hash = keccak256(item)
  const bit = (i: number): number =>
    (((hash[i] as number) << 8) | (hash[i + 1] as number)) & (8 * BLOOM_BYTES - 1)
  return [bit(0), bit(2), bit(4)]
}

function byteOf(bit: number): number {
  return BLOOM_BYTES - 1 - (bit >> 3)
}

export function hasBits(bloom: Uint8Array, bits: BloomBits): boolean {
  return bits.every((bit) => ((bloom[byteOf(bit)] as number) & (1 << (bit & 7))) !== 0)
}

/** Returns the 256-byte bloom of the logs' addresses and topics. */
export function logsBloom(logs: readonly Log[], keccak256: Keccak256): Uint8Array {
  if (logs.length === 0) return EMPTY_BLOOM
  const bloom = new Uint8Array(BLOOM_BYTES)
  for (const { address, topics } of logs) {
    for (const item of [address, ...topics]) {
      for (const bit of bloomBits(item, keccak256)) {
        bloom[byteOf(bit)] = (bloom[byteOf(bit)] as number) | (1 << (bit & 7))
      }
    }
  }
  return bloom
}

/** Returns the union of blooms, such as a block's from its receipts'. */
export function uniteBlooms(blooms: readonly Uint8Array[]): Uint8Array {
  const united = new Uint8Array(BLOOM_BYTES)
  for (const bloom of blooms) {
    if (bloom === EMPTY_BLOOM) continue
    for (let i = 0; i < BLOOM_BYTES; i++) united[i] = (united[i] as number) | (bloom[i] as number)
  }
  return united
}
