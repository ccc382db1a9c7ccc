import type { StepRow } from '../../browser/stepper.ts'
import { Newest } from './newest.ts'

/** Rows fetched at a time: some three screens. */
const WINDOW = 128
/** Windows kept: 8,192 rows. */
const KEPT = 64

/** Rows of the list of steps, fetched by windows as they are looked at; those looked at last are kept. */
export class RowWindows {
  readonly #kept = new Map<number, readonly StepRow[]>()
  readonly #fetch: Newest<readonly number[], void>

  /** `arrived` is called when rows have come that were missing. */
  constructor(
    rows: (from: number, count: number) => Promise<readonly StepRow[]>,
    arrived: () => void,
    failed: (error: unknown) => void,
  ) {
    this.#fetch = new Newest(
      async (missing) => {
        for (const window of missing) {
          this.#keep(window, await rows(window * WINDOW, WINDOW))
          arrived()
        }
      },
      () => undefined,
      failed,
    )
  }

  /** The row, where it is there already. */
  get(index: number): StepRow | undefined {
    return this.#kept.get(Math.floor(index / WINDOW))?.[index % WINDOW]
  }

  /** Fetches what is missing of the rows from `first` to before `end`, unless others are wanted by then. */
  want(first: number, end: number): void {
    const missing: number[] = []
    for (let window = Math.floor(first / WINDOW); window * WINDOW < end; window++) {
      const kept = this.#kept.get(window)
      if (kept === undefined) missing.push(window)
      else this.#keep(window, kept)
    }
    if (missing.length > 0) this.#fetch.want(missing)
  }

  #keep(window: number, rows: readonly StepRow[]): void {
    this.#kept.delete(window)
    this.#kept.set(window, rows)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT) break
      this.#kept.delete(oldest)
    }
  }
}
