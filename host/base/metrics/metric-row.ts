/** One metric of the table. */
export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  /** Upper bounds; histograms only. */
  readonly buckets?: readonly number[]
  /** The program whose name for this value it is; absent for the node's own names. */
  readonly of?: 'CometBFT' | 'geth' | 'reth'
}
