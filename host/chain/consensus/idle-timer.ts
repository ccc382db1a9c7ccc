import { startTimer, stopTimer, type Timer } from '../../base/timer.ts'

/** When to do work that may lag behind the chain. */
export interface PermittedLag {
  /** Milliseconds without a new block after which the work is done. */
  readonly quietMs: number
  /** New blocks after which the work is done in any case. */
  readonly blocks: number
}

/** Calls back when the chain is idle, or after a number of blocks. */
export class IdleTimer {
  readonly #lag: PermittedLag
  readonly #onLull: () => void
  #blocks = 0
  #timer: Timer | undefined

  constructor(lag: PermittedLag, onLull: () => void) {
    this.#lag = lag
    this.#onLull = onLull
  }

  /** Records a new block. */
  noteBlock(): void {
    if (++this.#blocks >= this.#lag.blocks) {
      this.cancel()
      this.#onLull()
    } else this.restart()
  }

  /** Calls back when the chain is idle next, even if no further block arrives. */
  restart(): void {
    if (this.#timer === undefined) {
      this.#timer = startTimer(() => {
        this.cancel()
        this.#onLull()
      }, this.#lag.quietMs)
    } else {
      this.#timer.refresh()
    }
  }

  /** Cancels a pending callback and resets the count of blocks. */
  cancel(): void {
    stopTimer(this.#timer)
    this.#timer = undefined
    this.#blocks = 0
  }
}
