import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import { lookup } from '../lookup.ts'
import type { Counting } from './counting.ts'
import { METRICS, type MetricName, type MetricRow } from './metric-table.ts'

/** What a thread has counted, as plain data in the shape in which prom-client adds threads up. */
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
  /** How many values are in each bucket and in none of those before; the last is for what is over all bounds. */
  readonly counts: Float64Array
  sum: number
}

/** A series, or those with another value of a label by that value. */
type Tree<Series> = Series | Map<string, Tree<Series>>

/** The series of one metric, by the values of their labels. */
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

/** A tree that has one series more, below the values of its labels. */
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
 * What is counted on a thread of its own, which another one shows. A registry of prom-client took a tenth of what a
 * short call does over HTTP: here each count is a sum, and becomes series when it is told.
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

  /** All that was counted since the beginning. */
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
  // Their type is wider than what prom-client writes
  return { name, help: row.help, type: row.type, aggregator: 'sum', values } as unknown as Counts[0]
}

/** A distribution as Prometheus has it: for each bound how many values are not above it, their sum, their number. */
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
