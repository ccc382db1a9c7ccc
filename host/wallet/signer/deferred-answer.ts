/** Slow work that runs after the commit and completes in a transaction of its own. */
export class DeferredAnswer {
  /** Resolves with a function that runs in the later transaction and returns the answer. */
  readonly work: () => Promise<() => unknown>

  constructor(work: () => Promise<() => unknown>) {
    this.work = work
  }
}
