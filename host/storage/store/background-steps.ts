import { delay } from '../../base/timer.ts'

/** A step is followed by a rest of this many times its duration, so that blocks keep the thread. */
const REST = 4

/** Work in small steps beside the thread's main work: a fifth of the time at most. */
export class BackgroundSteps {
  readonly #onFailure: (thrown: unknown) => void
  #running: Promise<void> | undefined
  #isStopped = false

  /** @param onFailure told what a step threw; the work is then given up. */
  constructor(onFailure: (thrown: unknown) => void) {
    this.#onFailure = onFailure
  }

  /** Begins the work unless other work still runs. */
  start(work: () => Iterator<void, void>): void {
    if (this.#isStopped || this.#running !== undefined) return
    this.#running = this.#run(work())
      .catch(this.#onFailure)
      .finally(() => {
        this.#running = undefined
      })
  }

  /** Resolves when the work that runs has ended. */
  async wait(): Promise<void> {
    await this.#running
  }

  /** Resolves when no step runs and none will. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async #run(steps: Iterator<void, void>): Promise<void> {
    while (!this.#isStopped) {
      const start = performance.now()
      if (steps.next().done === true) return
      const rest = REST * (performance.now() - start)
      await delay(rest)
    }
  }
}
