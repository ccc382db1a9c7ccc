import type { Logger } from '../../base/log/logger.ts'

/** Most lines per second; more would make the log a second load. */
const MOST_PER_SECOND = 10

/** A request that took longer than the threshold. */
export interface SlowRequest {
  readonly method: string
  /** 0, or that of its error. */
  readonly code: number
  readonly milliseconds: number
  /** Slow requests before it that were not reported. */
  readonly omitted: number
}

/** Reports requests that take longer than a threshold, at most ten per second. */
export class SlowRequests {
  readonly #report: (slow: SlowRequest) => void
  readonly #clock: () => number
  /** Milliseconds; 0 reports none. */
  thresholdMs: number
  #second = Number.NEGATIVE_INFINITY
  #reported = 0
  #omitted = 0

  constructor(
    thresholdMs: number,
    report: (slow: SlowRequest) => void,
    clock = () => performance.now(),
  ) {
    this.thresholdMs = thresholdMs
    this.#report = report
    this.#clock = clock
  }

  note(method: string, code: number, milliseconds: number): void {
    if (this.thresholdMs === 0 || milliseconds < this.thresholdMs) return
    const now = this.#clock()
    if (now - this.#second >= 1000) {
      this.#second = now
      this.#reported = 0
    }
    if (this.#reported >= MOST_PER_SECOND) {
      this.#omitted++
      return
    }
    this.#reported++
    this.#report({ method, code, milliseconds: Math.round(milliseconds), omitted: this.#omitted })
    this.#omitted = 0
  }
}

/** Logs a request that took longer than `slow_request`. */
export function logSlow(
  logger: Logger,
  { method, code, milliseconds, omitted }: SlowRequest,
): void {
  logger.warn('slow request', {
    method,
    code,
    milliseconds,
    omitted: omitted === 0 ? undefined : omitted,
  })
}
