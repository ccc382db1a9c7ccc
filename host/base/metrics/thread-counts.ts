import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import { lookup } from '../lookup.ts'
import type { Counting } from './counting.ts'
import type { MetricRow } from './metric-row.ts'
import { METRICS, type MetricName } from './metric-table.ts'

/** The counts of a thread, as plain data in the form that prom-client aggregates. */
export type Counts = MetricObjectWithValues<MetricValue<string>>[]

type AnyLabels = Readonly<Record<string, string>>

/** One series of a counter. */
interface Count {
  readonly labels: AnyLabels
  value: number
}

/** One series of a histogram. */
interface Distribution {
  readonly labels: AnyLabels
  /** Number of values per bucket, not cumulative; the last entry counts values above all bounds. */
  readonly counts: Float64Array
  sum: number
}

/** A series, or a map from the values of a label to subtrees. */
type Tree<Series> = Series | Map<string, Tree<Series>>

/** The series of one metric, by label values. */
class SeriesOf<Series extends object> {
  readonly name: MetricName
  readonly row: MetricRow
  readonly #make: (labels: AnyLabels) => Series
  #root: Tree<Series> | undefined
  readonly #all: Series[] = []

  constructor(name: MetricName, make: (labels: AnyLabels) => Series) {
    this.name = name
    this.row = METRICS[name]
    this.#make = make
  }

  find(labels: AnyLabels): Series {
    let found = this.#root
    for (const label of this.row.labels) {
      if (found === undefined) break
      found = (found as Map<string, Tree<Series>>).get(lookup(labels, label) as string)
    }
    return (found as Series | undefined) ?? this.#add(labels)
  }

  all(): readonly Series[] {
    return this.#all
  }

  #add(labels: AnyLabels): Series {
    const series = this.#make(labels)
    const values = this.row.labels.map((label) => lookup(labels, label) as string)
    this.#root = grown(this.#root, values, series)
    this.#all.push(series)
    return series
  }
}

/** Returns a tree with one more series under its label values. */
function grown<Series>(
  tree: Tree<Series> | undefined,
  [value, ...values]: readonly string[],
  series: Series,
): Tree<Series> {
  if (value === undefined) return series
  const byValue = (tree ?? new Map()) as Map<string, Tree<Series>>
  return byValue.set(value, grown(byValue.get(value), values, series))
}

/**
 * Counts on one thread for display by another. A count is a plain sum and becomes a series only when it is read,
 * because a prom-client registry would slow down short HTTP calls.
 */
export class ThreadCounts implements Counting {
  readonly #counters = new Map<MetricName, SeriesOf<Count>>()
  readonly #histograms = new Map<MetricName, SeriesOf<Distribution>>()

  readonly add: Counting['add'] = (name, labels, value = 1) => {
    let counter = this.#counters.get(name)
    if (counter === undefined) {
      counter = new SeriesOf(name, (of) => ({ labels: of, value: 0 }))
      this.#counters.set(name, counter)
    }
    counter.find(labels).value += value
  }

  readonly observe: Counting['observe'] = (name, labels, value) => {
    const bounds = boundsOf(METRICS[name])
    let histogram = this.#histograms.get(name)
    if (histogram === undefined) {
      const make = (of: AnyLabels) => ({
        labels: of,
        counts: new Float64Array(bounds.length + 1),
        sum: 0,
      })
      histogram = new SeriesOf(name, make)
      this.#histograms.set(name, histogram)
    }
    const series = histogram.find(labels)
    let bucket = 0
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++
    series.counts[bucket] = (series.counts[bucket] as number) + 1
    series.sum += value
  }

  /** Returns the totals since the start. */
  counts(): Counts {
    const counters = [...this.#counters.values()].map((of) =>
      told(
        of,
        of.all().map(({ labels, value }) => ({ labels, value })),
      ),
    )
    const histograms = [...this.#histograms.values()].map((of) =>
      told(
        of,
        of.all().flatMap((series) => bucketsOf(of.name, boundsOf(of.row), series)),
      ),
    )
    return [...counters, ...histograms]
  }
}

function boundsOf({ buckets = [] }: MetricRow): readonly number[] {
  return buckets
}

function told<Series extends object>(
  { name, row }: SeriesOf<Series>,
  values: MetricValue<string>[],
) {
  // The declared type is wider than what prom-client writes.
  return { name, help: row.help, type: row.type, aggregator: 'sum', values } as unknown as Counts[0]
}

/** Returns a distribution in Prometheus' form: for each bound the number of values up to it, then sum and count. */
function bucketsOf(name: string, bounds: readonly number[], { labels, counts, sum }: Distribution) {
  let count = 0
  const buckets = [...counts].map((own, i) => {
    count += own
    const le = bounds[i] ?? '+Inf'
    return { labels: { le, ...labels }, value: count, metricName: `${name}_bucket` }
  })
  return [
    ...buckets,
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ]
}
