interface Sample {
  readonly at: number
  readonly done: number
}

/** Older samples are dropped from the current rate. */
const WINDOW_MS = 10_000

/** Samples closer together are merged. */
const SPACING_MS = 500

/** The rate per second over the last ten seconds. */
export class Rate {
  readonly #samples: Sample[] = []

  /** Adds the amount done at a time in milliseconds. The amount of the first call is the baseline. */
  add(done: number, at: number): void {
    const samples = this.#samples
    const last = samples.at(-1)
    if (last !== undefined && at - last.at < SPACING_MS) return
    samples.push({ at, done })
    while (samples.length > 2 && at - (samples[0] as Sample).at > WINDOW_MS) samples.shift()
  }

  /** Undefined until there are two samples. */
  get perSecond(): number | undefined {
    const [first] = this.#samples
    const last = this.#samples.at(-1)
    if (first === undefined || last === undefined || last === first) return undefined
    return ((last.done - first.done) / (last.at - first.at)) * 1000
  }
}
