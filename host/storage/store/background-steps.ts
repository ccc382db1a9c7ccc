import { delay } from '../../base/timer.ts'

/** After a step the work pauses for this many times its duration, so that blocks keep the thread. */
const REST = 4

/** Runs work in small steps beside the thread's main work, for at most a fifth of the time. */
export class BackgroundSteps {
  readonly #onFailure: (thrown: unknown) => void
  #running: Promise<void> | undefined
  #isStopped = false

  /** @param onFailure - Called with the error of a step; the work is then abandoned. */
  constructor(onFailure: (thrown: unknown) => void) {
    this.#onFailure = onFailure
  }

  /** Starts the work unless other work is running. */
  start(work: () => Iterator<void, void>): void {
    if (this.#isStopped || this.#running !== undefined) return
    this.#running = this.#run(work())
      .catch(this.#onFailure)
      .finally(() => {
        this.#running = undefined
      })
  }

  /** Resolves when the running work has ended. */
  async wait(): Promise<void> {
    await this.#running
  }

  /** Resolves when no step is running and none will start. */
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
