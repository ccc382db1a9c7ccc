/** Values of the labels by their names. */
export type LabelValues = Readonly<Record<string, string>>

/** A line of Prometheus' text format; `metricName` where it is not the metric's own. */
export interface Sample {
  readonly metricName?: string
  readonly labels: LabelValues
  readonly value: number
}

/**
 * What one metric counts, a cell for each combination of labels. A cell is found by the values put together: a request
 * is counted in less than a tenth of a microsecond.
 */
export class LabelledCells<Cell> {
  readonly #names: readonly string[]
  readonly #make: () => Cell
  readonly #cells = new Map<string, readonly [LabelValues, Cell]>()

  constructor(names: readonly string[], make: () => Cell) {
    this.#names = names
    this.#make = make
    // Of a metric without labels there is always one
    if (names.length === 0) this.at({})
  }

  at(labels: LabelValues): Cell {
    let key = ''
    for (const name of this.#names) key += `${labels[name]}\n`
    const known = this.#cells.get(key)
    if (known !== undefined) return known[1]
    const cell = this.#make()
    this.#cells.set(key, [{ ...labels }, cell])
    return cell
  }

  /** What all cells say, in the order in which they were first asked for. */
  samples(samplesOf: (labels: LabelValues, cell: Cell) => readonly Sample[]): Sample[] {
    return [...this.#cells.values()].flatMap(([labels, cell]) => samplesOf(labels, cell))
  }
}
