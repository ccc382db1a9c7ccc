import type { Engine } from '../../../host/evm/engine/engine.ts'

/**
 * Engines that tests have one after another: V8 collects the whole heap for some new instances, since each might take
 * 272 MiB. Between tests, as in hooks for a whole file and outside of vitest, nothing is lent.
 */
class EngineLoans {
  readonly #free: Engine[] = []
  readonly #lent: Engine[] = []
  #isLending = false

  /** A test begins. */
  open(): void {
    this.#isLending = true
  }

  /** The test is over: what it was lent is as new for the next. */
  close(): void {
    this.#isLending = false
    for (const engine of this.#lent.splice(0)) {
      if (!engine.isUsable) continue
      engine.forgetCode()
      this.#free.push(engine)
    }
  }

  async lend(load: () => Promise<Engine>): Promise<Engine> {
    if (!this.#isLending) return load()
    const engine = this.#free.pop() ?? (await load())
    this.#lent.push(engine)
    return engine
  }
}

export const engineLoans = new EngineLoans()
