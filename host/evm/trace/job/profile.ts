import type { StateView } from '../../state/view.ts'

/** Phases of a profiled trace, in nanoseconds, under the names of debug_traceTransactionProfile. */
export interface PhaseNanos {
  lookupTransactionNanos: number
  loadBlockNanos: number
  replayHistoricalTxsNanos: number
  buildBlockContextNanos: number
  prepareTxNanos: number
  executionNanos: number
  traceResultNanos: number
}

/** The phases that were measured before the job was handed over. */
export interface BegunProfile
  extends Readonly<
    Pick<PhaseNanos, 'lookupTransactionNanos' | 'loadBlockNanos' | 'buildBlockContextNanos'>
  > {
  /** When the request began, in milliseconds since 1970: threads share no other clock. */
  readonly startedAt: number
}

/** Milliseconds since 1970, to the microsecond. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now()
}

const nanos = (milliseconds: number) => Math.round(milliseconds * 1e6)

/** Measures the phases of a profiled trace. */
export class ProfileClock {
  readonly #startedAt: number
  readonly #phases: PhaseNanos
  /** Milliseconds in reads of the state. */
  #reading = 0
  #phaseBegan = performance.now()

  constructor(begun: BegunProfile) {
    this.#startedAt = begun.startedAt
    this.#phases = {
      lookupTransactionNanos: begun.lookupTransactionNanos,
      loadBlockNanos: begun.loadBlockNanos,
      replayHistoricalTxsNanos: 0,
      buildBlockContextNanos: begun.buildBlockContextNanos,
      prepareTxNanos: 0,
      executionNanos: 0,
      traceResultNanos: 0,
    }
  }

  /** Ends a phase and begins the next one. */
  end(phase: keyof PhaseNanos): void {
    const now = performance.now()
    this.#phases[phase] = nanos(now - this.#phaseBegan)
    this.#phaseBegan = now
  }

  /** The view, its reads counted. */
  timed(view: StateView): StateView {
    const timed = <Value>(read: () => Value): Value => {
      const began = performance.now()
      try {
        return read()
      } finally {
        this.#reading += performance.now() - began
      }
    }
    return {
      account: (address) => timed(() => view.account(address)),
      storage: (address, slot) => timed(() => view.storage(address, slot)),
      code: (codeHash) => timed(() => view.code(codeHash)),
      blockHash: (number) => timed(() => view.blockHash(number)),
    }
  }

  /** Reads of the state lie within the phases; all other time is `otherNanos`. */
  profile(): Readonly<Record<string, unknown>> {
    const totalNanos = nanos(wallClock() - this.#startedAt)
    const historicalDbLookupNanos = nanos(this.#reading)
    const otherNanos = totalNanos - historicalDbLookupNanos
    return { totalNanos, historicalDbLookupNanos, otherNanos, phases: this.#phases }
  }
}
