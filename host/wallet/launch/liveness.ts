import { startInterval, type Timer } from '../../base/timer.ts'

/** Between two looks. */
const LOOK_MS = 1_000

/** Looks at a question without an answer after which the process is taken for stopped. */
const MOST_MISSED = 5

export interface LivenessOptions {
  /** Resolves when the process answers, whatever it answers. */
  readonly ping: (signal: AbortSignal) => Promise<void>
  /** Called once, when it has not answered for `MOST_MISSED` looks. */
  readonly onSilent: () => void
  readonly lookMs?: number | undefined
}

/**
 * Asks a process again and again whether it still works. Looks are counted, and no time is measured: a machine that
 * was asleep, or a parent that was busy itself, has not looked meanwhile.
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
