import { type ReadonlySignal, signal } from '@preact/signals'

/** A cancellable task with a progress label. */
export interface Work {
  /** The label: "Looking for the writer". */
  readonly doing: string
  readonly abort: AbortController
}

/** Runs at most one task at a time: a new one cancels the one before. */
export class Task {
  readonly #work = signal<Work | undefined>(undefined)

  get work(): ReadonlySignal<Work | undefined> {
    return this.#work
  }

  /** Resolves with undefined if the work was cancelled or replaced. */
  async run<Answer>(
    doing: string,
    work: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<{ readonly answer: Answer } | undefined> {
    this.cancel()
    const own: Work = { doing, abort: new AbortController() }
    this.#work.value = own
    try {
      const answer = await work(own.abort.signal)
      return own.abort.signal.aborted ? undefined : { answer }
    } catch (thrown) {
      if (own.abort.signal.aborted) return undefined
      throw thrown
    } finally {
      if (this.#work.peek() === own) this.#work.value = undefined
    }
  }

  cancel(): void {
    this.#work.peek()?.abort.abort()
    this.#work.value = undefined
  }
}
