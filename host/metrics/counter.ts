import { LabelledCells, type LabelValues, type Sample } from './labelled-cells.ts'

/** A counter of Prometheus: sums, one for each combination of labels. */
export class Counter {
  readonly #cells: LabelledCells<{ sum: number }>

  constructor(labels: readonly string[]) {
    this.#cells = new LabelledCells(labels, () => ({ sum: 0 }))
  }

  add(labels: LabelValues, value: number): void {
    this.#cells.at(labels).sum += value
  }

  samples(): Sample[] {
    return this.#cells.samples((labels, { sum }) => [{ labels, value: sum }])
  }
}
