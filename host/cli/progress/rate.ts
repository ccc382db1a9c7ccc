interface Sample {
  readonly at: number
  readonly done: number
}

/** What is older says nothing about the rate of now. */
const WINDOW_MS = 10_000

/** Samples that lie closer together are one. */
const SPACING_MS = 500

/** How much is done in a second, by the last ten. */
export class Rate {
  readonly #samples: Sample[] = []

  /** Takes in how much was done at a time in milliseconds. What was done at the first call was done before. */
  add(done: number, at: number): void {
    const samples = this.#samples
    const last = samples.at(-1)
    if (last !== undefined && at - last.at < SPACING_MS) return
    samples.push({ at, done })
    while (samples.length > 2 && at - (samples[0] as Sample).at > WINDOW_MS) samples.shift()
  }

  /** Undefined until there is something to compare. */
  get perSecond(): number | undefined {
    const [first] = this.#samples
    const last = this.#samples.at(-1)
    if (first === undefined || last === undefined || last === first) return undefined
    return ((last.done - first.done) / (last.at - first.at)) * 1000
  }
}
