import type { Log } from './log.ts'
import type { Keccak256 } from './signature-recovery.ts'

export const BLOOM_BYTES = 256

/** Byte and bit of each of the three bits that an item sets (yellow paper, section 4.3.1). */
function eachBit(
  item: Uint8Array,
  keccak256: Keccak256,
  visit: (byte: number, bit: number) => void,
) {
  const hash = keccak256(item)
  for (let i = 0; i < 6; i += 2) {
    const position = (((hash[i] as number) << 8) | (hash[i + 1] as number)) & 2047
    visit(BLOOM_BYTES - 1 - (position >> 3), 1 << (position & 7))
  }
}

/** Bloom of the addresses and topics of logs, 256 bytes. */
export function logsBloom(logs: readonly Log[], keccak256: Keccak256): Uint8Array {
  const bloom = new Uint8Array(BLOOM_BYTES)
  const set = (byte: number, bit: number) => {
    bloom[byte] = (bloom[byte] as number) | bit
  }
  for (const log of logs) {
    eachBit(log.address, keccak256, set)
    for (const topic of log.topics) eachBit(topic, keccak256, set)
  }
  return bloom
}

/** Bloom of a block from those of its receipts. */
export function uniteBlooms(blooms: readonly Uint8Array[]): Uint8Array {
  const united = new Uint8Array(BLOOM_BYTES)
  for (const bloom of blooms) {
    for (let i = 0; i < BLOOM_BYTES; i++) united[i] = (united[i] as number) | (bloom[i] as number)
  }
  return united
}

/** False when no log under this bloom has the address or topic `item`. */
export function mayContain(bloom: Uint8Array, item: Uint8Array, keccak256: Keccak256): boolean {
  let all = true
  eachBit(item, keccak256, (byte, bit) => {
    if (((bloom[byte] as number) & bit) === 0) all = false
  })
  return all
}
