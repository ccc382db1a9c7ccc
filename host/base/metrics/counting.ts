import type { CounterName, HistogramName, Labels } from './metric-table.ts'

/** Records metrics; names, types and labels are rows of `metric-table.ts`. */
export interface Counting {
  /** Adds to a counter. */
  add<Name extends CounterName>(name: Name, labels: Labels<Name>, value?: number): void
  /** Records a value, in the unit that ends the metric's name. */
  observe<Name extends HistogramName>(name: Name, labels: Labels<Name>, value: number): void
}
