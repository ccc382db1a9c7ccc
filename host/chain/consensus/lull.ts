import { startTimer, stopTimer, type Timer } from '../../base/timer.ts'

/** When work that may lag behind the chain is done. */
export interface Lag {
  /** Milliseconds without a new block after which it is. */
  readonly quietMs: number
  /** New blocks after which it is in any case. */
  readonly blocks: number
}

/** Lets blocks pass, and calls back in a lull, or when many have. */
export class Lull {
  readonly #lag: Lag
  readonly #onLull: () => void
  #blocks = 0
  #timer: Timer | undefined

  constructor(lag: Lag, onLull: () => void) {
    this.#lag = lag
    this.#onLull = onLull
  }

  /** A block has come. */
  pass(): void {
    if (++this.#blocks >= this.#lag.blocks) {
      this.end()
      this.#onLull()
    } else this.wait()
  }

  /** Calls back in a lull, whether or not a block comes. */
  wait(): void {
    if (this.#timer === undefined) {
      this.#timer = startTimer(() => {
        this.end()
        this.#onLull()
      }, this.#lag.quietMs)
    } else {
      this.#timer.refresh()
    }
  }

  /** Forgets the blocks that have passed: there is no call for them. */
  end(): void {
    stopTimer(this.#timer)
    this.#timer = undefined
    this.#blocks = 0
  }
}
