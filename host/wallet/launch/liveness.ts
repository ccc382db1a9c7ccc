import { startInterval, type Timer } from '../../base/timer.ts'

/** Milliseconds between two checks. */
const LOOK_MS = 1_000

/** Checks without an answer after which the process counts as hung. */
const MOST_MISSED = 5

export interface LivenessOptions {
  /** Resolves on any answer of the process. */
  readonly ping: (signal: AbortSignal) => Promise<void>
  /** Called once, after `MOST_MISSED` checks without an answer. */
  readonly onSilent: () => void
  readonly lookMs?: number | undefined
}

/**
 * Checks repeatedly that a process still answers. Counts checks instead of elapsed time, so that a suspended machine
 * or a busy parent does not count as a hang.
 */
export class Liveness {
  readonly #options: LivenessOptions
  readonly #ended = new AbortController()
  readonly #timer: Timer
  #question: 'open' | 'answered' | 'failed' = 'answered'
  #missed = 0

  constructor(options: LivenessOptions) {
    this.#options = options
    this.#timer = startInterval(() => this.#look(), options.lookMs ?? LOOK_MS)
    this.#timer.unref()
  }

  stop(): void {
    this.#timer.stop()
    this.#ended.abort()
  }

  #look(): void {
    if (this.#question === 'answered') this.#missed = 0
    else this.#missed++
    if (this.#missed >= MOST_MISSED) {
      this.stop()
      this.#options.onSilent()
    } else if (this.#question !== 'open') {
      this.#ask()
    }
  }

  #ask(): void {
    this.#question = 'open'
    this.#options.ping(this.#ended.signal).then(
      () => {
        this.#question = 'answered'
      },
      () => {
        this.#question = 'failed'
      },
    )
  }
}
