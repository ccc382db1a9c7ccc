import { makeRandom } from '../support/random.ts'

/** Random choices of a generator, deterministic for a seed. */
export interface Dice {
  /** Returns an integer from 0 to `count` - 1. */
  below(count: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  bytes(length: number): Uint8Array
  /** Returns a number of at most `bits` bits, uniformly distributed. */
  number(bits: number): bigint
}

export function makeDice(seed: number): Dice {
  const random = makeRandom(seed)
  const below = (count: number) => Math.floor(random() * count)
  const bytes = (length: number) => Uint8Array.from({ length }, () => below(256))
  return {
    below,
    bytes,
    chance: (probability) => random() < probability,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
    number(bits) {
      let value = 0n
      for (const byte of bytes((bits + 7) >> 3)) value = (value << 8n) | BigInt(byte)
      return value & ((1n << BigInt(bits)) - 1n)
    },
  }
}
