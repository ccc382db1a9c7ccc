import { makeRandom } from '../random.ts'

/** How often, and for how long, this thread loses the processor around its atomics. */
export interface Lateness {
  readonly seed: number
  /** One operation of so many is late. */
  readonly oneOf: number
  readonly milliseconds: number
}

const OPERATIONS = ['load', 'store', 'add', 'wait', 'notify', 'compareExchange'] as const

/**
 * From now on this thread is held up before some of its atomics, as the system may do at any time: between
 * a store and its notify too. Gives what restores them.
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
