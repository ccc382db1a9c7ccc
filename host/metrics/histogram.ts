import { LabelledCells, type LabelValues, type Sample } from './labelled-cells.ts'

interface Cell {
  /** Values by the first bound that is not below them, and last those above all bounds. */
  readonly counts: number[]
  sum: number
}

/** A histogram of Prometheus, one for each combination of labels. */
export class Histogram {
  readonly #name: string
  readonly #bounds: readonly number[]
  readonly #cells: LabelledCells<Cell>

  /** @param bounds upper bounds of the buckets, in ascending order */
  constructor(name: string, labels: readonly string[], bounds: readonly number[]) {
    this.#name = name
    this.#bounds = bounds
    this.#cells = new LabelledCells(labels, () => ({
      counts: new Array<number>(bounds.length + 1).fill(0),
      sum: 0,
    }))
  }

  observe(labels: LabelValues, value: number): void {
    const cell = this.#cells.at(labels)
    const bounds = this.#bounds
    let bucket = 0
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++
    cell.counts[bucket] = (cell.counts[bucket] as number) + 1
    cell.sum += value
  }

  /** Buckets hold all values up to their bound, as the text format has them. */
  samples(): Sample[] {
    return this.#cells.samples((labels, { counts, sum }) => {
      let count = 0
      const buckets = counts.map((values, bucket): Sample => {
        count += values
        const le = String(this.#bounds[bucket] ?? '+Inf')
        return { metricName: `${this.#name}_bucket`, labels: { le, ...labels }, value: count }
      })
      return [
        ...buckets,
        { metricName: `${this.#name}_sum`, labels, value: sum },
        { metricName: `${this.#name}_count`, labels, value: count },
      ]
    })
  }
}
