import { randomFillSync } from 'node:crypto'

/** Non-zero initial words of HalfSipHash. */
const INITIAL_2 = 0x6c796765
const INITIAL_3 = 0x74656462
/** Rounds after the last word: one compression round and three finalization rounds. */
const LAST_ROUNDS = 4

/** Two secret words, against callers that choose colliding keys. */
export interface HashSeed {
  readonly low: number
  readonly high: number
}

export function randomSeed(): HashSeed {
  const words = randomFillSync(new Int32Array(2))
  return { low: words[0] as number, high: words[1] as number }
}

/**
 * Returns the HalfSipHash-1-3 of `length` bytes at `start` with 32 bits of output (Aumasson and Bernstein): a keyed
 * hash on 32-bit words, the only ones that are fast in JavaScript.
 * @returns a signed integer.
 */
export function hashKey(seed: HashSeed, view: DataView, start: number, length: number): number {
  let v0 = seed.low
  let v1 = seed.high
  let v2 = INITIAL_2 ^ v0
  let v3 = INITIAL_3 ^ v1
  let at = start
  const end = start + (length & ~3)
  for (; at < end; at += 4) {
    const word = view.getInt32(at, true)
    v3 ^= word
    v0 = (v0 + v1) | 0
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
    v0 = (v0 << 16) | (v0 >>> 16)
    v2 = (v2 + v3) | 0
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
    v0 = (v0 + v3) | 0
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
    v2 = (v2 + v1) | 0
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
    v2 = (v2 << 16) | (v2 >>> 16)
    v0 ^= word
  }
  let last = length << 24
  for (let i = 0; i < (length & 3); i++) last |= view.getUint8(at + i) << (8 * i)
  v3 ^= last
  for (let round = 0; round < LAST_ROUNDS; round++) {
    v0 = (v0 + v1) | 0
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
    v0 = (v0 << 16) | (v0 >>> 16)
    v2 = (v2 + v3) | 0
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
    v0 = (v0 + v3) | 0
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
    v2 = (v2 + v1) | 0
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
    v2 = (v2 << 16) | (v2 >>> 16)
    if (round === 0) {
      v0 ^= last
      v2 ^= 0xff
    }
  }
  return v1 ^ v3
}
