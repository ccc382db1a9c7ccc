import type { StateView } from '../../state/view.ts'

/** Phases of a profiled trace in nanoseconds, as named by debug_traceTransactionProfile. */
export interface PhaseNanos {
  lookupTransactionNanos: number
  loadBlockNanos: number
  replayHistoricalTxsNanos: number
  buildBlockContextNanos: number
  prepareTxNanos: number
  executionNanos: number
  traceResultNanos: number
}

/** Phases measured before the job was handed over. */
export interface BegunProfile
  extends Readonly<
    Pick<PhaseNanos, 'lookupTransactionNanos' | 'loadBlockNanos' | 'buildBlockContextNanos'>
  > {
  /** Start of the request in Unix milliseconds, the only clock that threads share. */
  readonly startedAt: number
}

/** Returns the Unix time in milliseconds, with microsecond resolution. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now()
}

const nanos = (milliseconds: number) => Math.round(milliseconds * 1e6)

/** Measures the phases of a profiled trace. */
export class ProfileClock {
  readonly #startedAt: number
  readonly #phases: PhaseNanos
  /** Milliseconds spent reading state. */
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

  /** Ends a phase and starts the next one. */
  end(phase: keyof PhaseNanos): void {
    const now = performance.now()
    this.#phases[phase] = nanos(now - this.#phaseBegan)
    this.#phaseBegan = now
  }

  /** Returns the view with its reads timed. */
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

  /** State reads are part of the phases. `otherNanos` is the time outside them. */
  profile(): Readonly<Record<string, unknown>> {
    const totalNanos = nanos(wallClock() - this.#startedAt)
    const historicalDbLookupNanos = nanos(this.#reading)
    const otherNanos = totalNanos - historicalDbLookupNanos
    return { totalNanos, historicalDbLookupNanos, otherNanos, phases: this.#phases }
  }
}
