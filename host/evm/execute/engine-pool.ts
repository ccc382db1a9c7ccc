import { LockstepError } from '../../base/error.ts'

/** Waits for the next slice of event loop time; undefined while the current one lasts. */
type NextTurn = () => Promise<void> | undefined

interface Waiting<Engine> {
  resolve(engine: Engine): void
  reject(error: unknown): void
}

/**
 * Pool of engines for work beside block execution: calls, estimates, traces. Each engine has its own memory, so one
 * can pause while another runs. Opens engines on demand.
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
   * At most `limit` engines work at a time and `maxWaiting` requests wait for one. An engine is discarded on return
   * if `isUsable` is false for it.
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
   * Runs `work` with an engine. If one is idle, `work` runs synchronously and a synchronous result is returned as
   * such. Otherwise it waits for an engine and then for `turn`, so that queued work does not all run in one event
   * loop turn.
   * @throws SERVER_BUSY if all engines are in use and the queue is full, and whatever `turn` throws.
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

  /** Replaces a discarded engine for the request that has waited longest. */
  #openForWaiting(): void {
    const next = this.#waiting.shift()
    if (next === undefined) return
    this.#acquire().then(next.resolve, next.reject)
  }
}
