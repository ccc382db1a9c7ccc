import type { Engine } from '../../../host/evm/engine/engine.ts'

/**
 * Engines that consecutive tests reuse: V8 collects the whole heap after some new instances, since each might take
 * 292 MiB. Nothing is lent between tests, as in hooks for a whole file, or outside of vitest.
 */
class EngineLoans {
  readonly #free: Engine[] = []
  readonly #lent: Engine[] = []
  #isLending = false

  /** Called when a test begins. */
  open(): void {
    this.#isLending = true
  }

  /** Called when a test ends. Resets the engines it used for the next test. */
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
