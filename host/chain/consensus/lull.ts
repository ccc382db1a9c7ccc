import { startTimer, stopTimer, type Timer } from '../../base/timer.ts'

/** When to do work that may lag behind the chain. */
export interface Lag {
  /** Milliseconds without a new block after which the work is done. */
  readonly quietMs: number
  /** New blocks after which the work is done in any case. */
  readonly blocks: number
}

/** Calls back when the chain is idle, or after a number of blocks. */
export class Lull {
  readonly #lag: Lag
  readonly #onLull: () => void
  #blocks = 0
  #timer: Timer | undefined

  constructor(lag: Lag, onLull: () => void) {
    this.#lag = lag
    this.#onLull = onLull
  }

  /** Records a new block. */
  pass(): void {
    if (++this.#blocks >= this.#lag.blocks) {
      this.end()
      this.#onLull()
    } else this.wait()
  }

  /** Calls back when the chain is idle next, even if no further block arrives. */
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

  /** Cancels a pending callback and resets the count of blocks. */
  end(): void {
    stopTimer(this.#timer)
    this.#timer = undefined
    this.#blocks = 0
  }
}
