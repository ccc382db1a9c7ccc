/** Runs asynchronous tasks one after another, in the order of the calls. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs `task` after all earlier tasks have ended, even if they failed. Settles as `task` does. */
  runExclusive<Result>(task: () => Result | Promise<Result>): Promise<Result> {
    const result = this.#last.then(task)
    this.#last = result.catch(() => undefined)
    return result
  }
}
