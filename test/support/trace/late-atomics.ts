import { makeRandom } from '../random.ts'

/** How often and how long this thread is delayed around its atomic operations. */
export interface Lateness {
  readonly seed: number
  /** One operation in so many is delayed. */
  readonly oneOf: number
  readonly milliseconds: number
}

const OPERATIONS = ['load', 'store', 'add', 'wait', 'notify', 'compareExchange'] as const

/**
 * Delays this thread before some of its atomic operations, as the system may at any time, also between a store and
 * its notify. Returns a function that restores them.
 */
export function delayAtomics({ seed, oneOf, milliseconds }: Lateness): () => void {
  const random = makeRandom(seed)
  const clock = new Int32Array(new SharedArrayBuffer(4))
  const own = { ...Object.fromEntries(OPERATIONS.map((name) => [name, Atomics[name]])) }
  const sleep = Atomics.wait.bind(Atomics)
  for (const name of OPERATIONS) {
    const operation = Atomics[name] as (...args: unknown[]) => unknown
    const late = (...args: unknown[]) => {
      if (random() < 1 / oneOf) sleep(clock, 0, 0, milliseconds)
      return operation.apply(Atomics, args)
    }
    Object.assign(Atomics, { [name]: late })
  }
  return () => void Object.assign(Atomics, own)
}
