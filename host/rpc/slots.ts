import { LockstepError } from '../base/error.ts'

/** Admits so much work at a time and refuses the rest at once: a queue would only hide the load. */
export class Slots {
  readonly #limit: number
  readonly #refusal: string
  #taken = 0

  /** A limit of 0 admits everything. */
  constructor(limit: number, refusal: string) {
    this.#limit = limit
    this.#refusal = refusal
  }

  /** @throws SERVER_BUSY when all slots are taken. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#limit > 0 && this.#taken >= this.#limit) {
      throw new LockstepError('SERVER_BUSY', this.#refusal)
    }
    this.#taken++
    try {
      return await work()
    } finally {
      this.#taken--
    }
  }
}
