import { delay } from '../../../base/timer.ts'

export interface BlockPaceOptions {
  /** Milliseconds from one block to the next that are aimed at. */
  readonly blockTimeMs: number
  /** The longest pause before a proposal: others give a proposer up after a while. */
  readonly longestMs: number
  /** Milliseconds that only grow; and a pause, for tests. */
  readonly clock?: () => number
  readonly pause?: (milliseconds: number) => Promise<unknown>
}

/** Share of the newest proposal in what one is expected to take. */
const WEIGHT = 0.25

/**
 * Has blocks come at the time that is aimed at. CometBFT waits a fixed time after each decision, and what proposal and
 * votes take depends on machines and ways between them: a proposer waits for what is left, by how long its own
 * proposals took to be decided.
 */
export class BlockPace {
  readonly #options: BlockPaceOptions
  readonly #clock: () => number
  readonly #pause: (milliseconds: number) => Promise<unknown>
  #decidedAt: number | undefined
  #proposedAt: number | undefined
  /** From a proposal of this node to its decision, by the last ones. */
  #takes: number | undefined

  constructor(options: BlockPaceOptions) {
    this.#options = options
    this.#clock = options.clock ?? (() => performance.now())
    this.#pause = options.pause ?? delay
  }

  /** A block is decided. */
  decided(): void {
    const now = this.#clock()
    if (this.#proposedAt !== undefined) {
      // One that was lost on its way says nothing about the others.
      const took = Math.min(now - this.#proposedAt, this.#options.blockTimeMs)
      this.#takes = this.#takes === undefined ? took : this.#takes + WEIGHT * (took - this.#takes)
    }
    this.#proposedAt = undefined
    this.#decidedAt = now
  }

  /** Resolves when it is time to propose the next one. */
  async untilDue(): Promise<void> {
    const { blockTimeMs, longestMs } = this.#options
    if (this.#decidedAt !== undefined && this.#takes !== undefined) {
      const left = this.#decidedAt + blockTimeMs - this.#takes - this.#clock()
      if (left > 0) await this.#pause(Math.min(left, longestMs))
    }
    this.#proposedAt = this.#clock()
  }
}
