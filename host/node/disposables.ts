/** Closes opened resources in the reverse order of opening. */
export class Disposables {
  readonly #closers: (() => void | Promise<void>)[] = []

  add(close: () => void | Promise<void>): void {
    this.#closers.push(close)
  }

  /** Runs every closer even if one fails, then throws the first failure. */
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
