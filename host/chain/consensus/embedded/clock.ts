import { pause } from '../../../base/timer.ts'

/** The engine's source of time. */
export interface Clock {
  /** Returns nanoseconds since 1970, for timestamps. */
  wallTime(): bigint
  /** Returns monotonic milliseconds, for scheduling. */
  monotonic(): number
  /** Resolves after `milliseconds`, or at once when the signal aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

const NANOS_PER_MILLI = 1_000_000n

export const systemClock: Clock = {
  wallTime: () => BigInt(Date.now()) * NANOS_PER_MILLI,
  monotonic: () => performance.now(),
  wait: pause,
}
