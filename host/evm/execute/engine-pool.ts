import { LockstepError } from '../../base/error.ts'

/** An engine taken from the pool. */
export interface EngineLease<Engine> {
  readonly engine: Engine
  /** Gives the engine back and gives up its run. Later calls change nothing. */
  release(): void
}

/** Waits for the next turn of whoever works; undefined while the present one lasts. */
type NextTurn = () => Promise<void> | undefined

interface Waiting<Engine> {
  resolve(engine: Engine): void
  reject(error: unknown): void
}

/**
 * A few engines for work beside the chain: calls, estimates, traces. Each has its own memory, so that
 * one can wait for its fuel while another runs. They are opened when first needed.
 */
export class EnginePool<Engine> {
  readonly #open: () => Promise<Engine>
  readonly #isUsable: (engine: Engine) => boolean
  readonly #limit: number
  readonly #maxWaiting: number
  readonly #idle: Engine[] = []
  readonly #waiting: Waiting<Engine>[] = []
  #opened = 0

  /**
   * `limit` engines work at a time, `maxWaiting` requests wait for one. An engine that `isUsable`
   * denies when it comes back is thrown away.
   */
  constructor(
    open: () => Promise<Engine>,
    limit: number,
    maxWaiting: number,
    isUsable: (engine: Engine) => boolean = () => true,
  ) {
    this.#open = open
    this.#isUsable = isUsable
    this.#limit = limit
    this.#maxWaiting = maxWaiting
  }

  /**
   * Waits for an engine.
   * @throws SERVER_BUSY when all engines work and the queue is full.
   */
  async lease(): Promise<EngineLease<Engine>> {
    const engine = await this.#acquire()
    let released = false
    return {
      engine,
      release: () => {
        if (released) return
        released = true
        this.#giveBack(engine)
      },
    }
  }

  /**
   * Lends an engine to `work`: at once if one is idle, and then a result is given at once too. Work that has waited
   * for an engine waits for `turn` as well: else all that waits would follow in one turn of the event loop. Throws as
   * `lease`, and what `turn` throws.
   */
  use<Result>(work: (engine: Engine) => Promise<Result>, turn?: NextTurn): Promise<Result>
  use<Result>(
    work: (engine: Engine) => Result | Promise<Result>,
    turn?: NextTurn,
  ): Result | Promise<Result>
  use<Result>(
    work: (engine: Engine) => Result | Promise<Result>,
    turn?: NextTurn,
  ): Result | Promise<Result> {
    const idle = this.#idle.pop()
    return idle === undefined ? this.#useLater(work, turn) : this.#lend(idle, work)
  }

  async #useLater<Result>(
    work: (engine: Engine) => Result | Promise<Result>,
    turn?: NextTurn,
  ): Promise<Result> {
    const engine = await this.#acquire()
    try {
      await turn?.()
    } catch (error) {
      this.#giveBack(engine)
      throw error
    }
    return this.#lend(engine, work)
  }

  #lend<Result>(
    engine: Engine,
    work: (engine: Engine) => Result | Promise<Result>,
  ): Result | Promise<Result> {
    let result: Result | Promise<Result> | undefined
    try {
      result = work(engine)
      return result instanceof Promise ? result.finally(() => this.#giveBack(engine)) : result
    } finally {
      if (!(result instanceof Promise)) this.#giveBack(engine)
    }
  }

  async #acquire(): Promise<Engine> {
    const idle = this.#idle.pop()
    if (idle !== undefined) return idle
    if (this.#opened < this.#limit) {
      this.#opened++
      try {
        return await this.#open()
      } catch (error) {
        this.#opened--
        throw error
      }
    }
    if (this.#waiting.length >= this.#maxWaiting) {
      throw new LockstepError('SERVER_BUSY', 'server too busy, rejecting new request', {
        data: { working: this.#limit, waiting: this.#waiting.length },
      })
    }
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  #giveBack(engine: Engine): void {
    if (!this.#isUsable(engine)) {
      this.#opened--
      this.#openForWaiting()
      return
    }
    const next = this.#waiting.shift()
    if (next === undefined) this.#idle.push(engine)
    else next.resolve(engine)
  }

  /** Opens an engine in place of one that was thrown away, for whoever has waited longest. */
  #openForWaiting(): void {
    const next = this.#waiting.shift()
    if (next === undefined) return
    this.#acquire().then(next.resolve, next.reject)
  }
}
