/** A part of a run that has passed or failed. */
export interface Stage {
  readonly name: string
  readonly seconds: number
  readonly budget: number
}

/** The stages of a run with what they took, by a clock that counts seconds. */
export class StageLog {
  readonly #stages: Stage[] = []
  readonly #failures: string[] = []
  readonly #say: (line: string) => void
  readonly #now: () => number

  constructor(say: (line: string) => void, now: () => number) {
    this.#say = say
    this.#now = now
  }

  /** Runs a stage, and says how long it took, whether it fails or not. */
  async run<Result>(name: string, budget: number, work: () => Promise<Result>): Promise<Result> {
    const started = this.#now()
    this.#say(`== ${name}`)
    try {
      return await work()
    } finally {
      this.add(name, budget, this.#now() - started)
    }
  }

  /** Adds a stage that has ended, as the set-up before there was a log. */
  add(name: string, budget: number, seconds: number): void {
    this.#stages.push({ name, seconds, budget })
    this.#say(`== ${name}: ${Math.round(seconds)} s`)
  }

  /** Notes what failed: it is said at the end, where nobody has to look for it. */
  fail(failures: readonly string[]): void {
    this.#failures.push(...failures)
  }

  /** Says what each stage took, which were over their budget, the whole, and last what failed. */
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
