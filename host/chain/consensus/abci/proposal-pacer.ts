import { delay } from '../../../base/timer.ts'

export interface ProposalPacerOptions {
  /** Target block time in milliseconds. */
  readonly blockTimeMs: number
  /** Longest delay before a proposal, in milliseconds: validators time out on a late proposer. */
  readonly longestMs: number
  /** Monotonic clock in milliseconds. Tests replace it and `pause`. */
  readonly clock?: () => number
  readonly pause?: (milliseconds: number) => Promise<unknown>
}

/** Weight of the latest proposal in the moving average. */
const WEIGHT = 0.25

/**
 * Delays proposals so that blocks arrive at the target block time. CometBFT waits a fixed time after each decision,
 * while proposal and votes take a varying time that depends on machines and network. A proposer waits for the rest,
 * estimated from how long its own proposals took to be decided.
 */
export class ProposalPacer {
  readonly #options: ProposalPacerOptions
  readonly #clock: () => number
  readonly #pause: (milliseconds: number) => Promise<unknown>
  #decidedAt: number | undefined
  #proposedAt: number | undefined
  /** Moving average of the time from a proposal of this node to its decision. */
  #takes: number | undefined

  constructor(options: ProposalPacerOptions) {
    this.#options = options
    this.#clock = options.clock ?? (() => performance.now())
    this.#pause = options.pause ?? delay
  }

  /** Records that a block was decided. */
  decided(): void {
    const now = this.#clock()
    if (this.#proposedAt !== undefined) {
      // Cap the sample: a lost proposal says nothing about the others.
      const took = Math.min(now - this.#proposedAt, this.#options.blockTimeMs)
      this.#takes = this.#takes === undefined ? took : this.#takes + WEIGHT * (took - this.#takes)
    }
    this.#proposedAt = undefined
    this.#decidedAt = now
  }

  /** Resolves when the next proposal is due. */
  async untilDue(): Promise<void> {
    const { blockTimeMs, longestMs } = this.#options
    if (this.#decidedAt !== undefined && this.#takes !== undefined) {
      const left = this.#decidedAt + blockTimeMs - this.#takes - this.#clock()
      if (left > 0) await this.#pause(Math.min(left, longestMs))
    }
    this.#proposedAt = this.#clock()
  }
}
