import type { StepRow } from '../../../browser/step/stepper.ts'
import { LatestQuery } from '../../state/debug/latest-query.ts'

/** Rows fetched at a time: about three screens. */
const WINDOW = 128
/** Windows kept: 8,192 rows. */
const KEPT = 64

/** Rows of the step list, fetched in windows on demand; recently used windows are cached. */
export class RowWindows {
  readonly #kept = new Map<number, readonly StepRow[]>()
  readonly #fetch: LatestQuery<readonly number[], void>

  /** `arrived` is called when missing rows have been fetched. */
  constructor(
    rows: (from: number, count: number) => Promise<readonly StepRow[]>,
    arrived: () => void,
    failed: (error: unknown) => void,
  ) {
    this.#fetch = new LatestQuery(
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

  /** Returns the row if it is cached. */
  get(index: number): StepRow | undefined {
    return this.#kept.get(Math.floor(index / WINDOW))?.[index % WINDOW]
  }

  /** Fetches missing rows from `first` to before `end`, unless other rows are wanted meanwhile. */
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
