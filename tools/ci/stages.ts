/** A part of a run that has passed or failed. */
export interface Stage {
  readonly name: string
  readonly seconds: number
  readonly budget: number
}

/** The stages of a run with their times, by a clock in seconds. */
export class StageLog {
  readonly #stages: Stage[] = []
  readonly #failures: string[] = []
  readonly #say: (line: string) => void
  readonly #now: () => number

  constructor(say: (line: string) => void, now: () => number) {
    this.#say = say
    this.#now = now
  }

  /** Runs a stage, and prints how long it took, even if it fails. */
  async run<Result>(name: string, budget: number, work: () => Promise<Result>): Promise<Result> {
    const started = this.#now()
    this.#say(`== ${name}`)
    try {
      return await work()
    } finally {
      this.add(name, budget, this.#now() - started)
    }
  }

  /** Adds a stage that has ended, such as the setup before the log existed. */
  add(name: string, budget: number, seconds: number): void {
    this.#stages.push({ name, seconds, budget })
    this.#say(`== ${name}: ${Math.round(seconds)} s`)
  }

  /** Records failures, which `summarize` prints at the end. */
  fail(failures: readonly string[]): void {
    this.#failures.push(...failures)
  }

  /** Prints the time of each stage, the stages over their budget, the total, and last the failures. */
  summarize(total: number): void {
    const parts = this.#stages.map(({ name, seconds }) => `${name} ${Math.round(seconds)} s`)
    this.#say(`== stages: ${parts.join(', ')}; ${Math.round(total)} s in all`)
    for (const { name, seconds, budget } of this.#stages) {
      if (seconds <= budget) continue
      this.#say(
        `== over its budget of ${Math.round(budget)} s: ${name} took ${Math.round(seconds)} s`,
      )
    }
    for (const failure of this.#failures) this.#say(`== failed: ${failure}`)
  }
}
