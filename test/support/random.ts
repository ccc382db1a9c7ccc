/** Returns a generator of deterministic numbers in [0, 1) from a 32-bit seed (mulberry32). */
export function makeRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One seed for all tests of a file. */
const RUN_SEED = Number(process.env.LOCKSTEP_SEED ?? Date.now() % 2 ** 32)

/** Returns the seed of a run's random choices: LOCKSTEP_SEED, which a failed test has in its name, or the clock. */
export function runSeed(): number {
  return RUN_SEED
}
