import { delay } from '../../../base/timer.ts'

/** The engine's source of time. */
export interface Clock {
  /** Nanoseconds since 1970: for timestamps. */
  wallTime(): bigint
  /** Milliseconds since any fixed moment, never going back: for pacing. */
  monotonic(): number
  /** Resolves after `milliseconds`, or at once when the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

const NANOS_PER_MILLI = 1_000_000n

export const systemClock: Clock = {
  wallTime: () => BigInt(Date.now()) * NANOS_PER_MILLI,
  monotonic: () => performance.now(),
  wait: async (milliseconds, signal) => {
    if (signal.aborted) return
    await delay(milliseconds, { signal }).catch(() => undefined)
  },
}
