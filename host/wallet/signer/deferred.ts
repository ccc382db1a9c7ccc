/** Work that takes longer than a transaction may: done after the commit, and ended in a transaction of its own. */
export class Deferred {
  /** Resolves with what is run in the later transaction and gives the answer. */
  readonly work: () => Promise<() => unknown>

  constructor(work: () => Promise<() => unknown>) {
    this.work = work
  }
}
