/** The closers of opened resources, which run in the opposite order. */
export class Closers {
  readonly #closers: (() => void | Promise<void>)[] = []

  add(close: () => void | Promise<void>): void {
    this.#closers.push(close)
  }

  /** Closes everything even where one closer fails; throws the first failure. */
  async close(): Promise<void> {
    const failures: unknown[] = []
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close()
      } catch (failure) {
        failures.push(failure)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
