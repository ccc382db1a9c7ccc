import { collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import { Counter } from './counter.ts'
import { Histogram } from './histogram.ts'
import type { Sample } from './labelled-cells.ts'
import {
  type CounterName,
  type GaugeName,
  type HistogramName,
  type Labels,
  METRICS,
  type MetricName,
  type MetricRow,
} from './metric-table.ts'

/** The node's metrics; names, types and labels are rows of `metric-table.ts`. */
export interface Metrics {
  /** Adds to a counter. */
  add<Name extends CounterName>(name: Name, labels: Labels<Name>, value?: number): void
  /** Sets a gauge. */
  set<Name extends GaugeName>(name: Name, labels: Labels<Name>, value: number): void
  /** Records a value, in the unit the metric's name ends with. */
  observe<Name extends HistogramName>(name: Name, labels: Labels<Name>, value: number): void
  /** Calls what sets gauges of the moment, each time before metrics are read. */
  onRender(refresh: () => void): void
  /** All metrics in Prometheus' text format. */
  render(): Promise<string>
  /** Content type of `render`. */
  readonly contentType: string
}

function definitionsOf(type: MetricRow['type']): [MetricName, MetricRow][] {
  const rows = Object.entries<MetricRow>(METRICS) as [MetricName, MetricRow][]
  return rows.filter(([, row]) => row.type === type)
}

function find<Name, Metric>(
  metrics: ReadonlyMap<MetricName, Metric>,
  name: Name & MetricName,
): Metric {
  const metric = metrics.get(name)
  if (metric === undefined) throw new TypeError(`${name} is not in the table of metrics`)
  return metric
}

/** Has a registry show what `samples` gives each time. */
function show(
  registry: Registry,
  name: string,
  { help, type }: MetricRow,
  samples: () => readonly Sample[],
): void {
  const metric = { name, get: async () => ({ name, help, type, values: samples() }) }
  // To render, the library asks for no more of a metric than this
  registry.registerMetric(metric as unknown as Metric)
}

/**
 * Metrics of one node, with those of its process (memory, event loop, garbage collection). What is counted with each
 * request is counted here: prom-client checks, sorts and joins the labels each time, which takes as long as a short call.
 */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const gauges = new Map(
    definitionsOf('gauge').map(([name, { help, labels }]) => [
      name,
      new Gauge<string>({ name, help, labelNames: labels, registers: [registry] }),
    ]),
  )
  const counters = new Map(
    definitionsOf('counter').map(([name, row]) => {
      const counter = new Counter(row.labels)
      show(registry, name, row, () => counter.samples())
      return [name, counter]
    }),
  )
  const histograms = new Map(
    definitionsOf('histogram').map(([name, row]) => {
      const histogram = new Histogram(name, row.labels, row.buckets ?? [])
      show(registry, name, row, () => histogram.samples())
      return [name, histogram]
    }),
  )
  const refreshers: (() => void)[] = []
  return {
    add: (name, labels, value = 1) => find(counters, name).add(labels, value),
    set: (name, labels, value) => find(gauges, name).set(labels, value),
    observe: (name, labels, value) => find(histograms, name).observe(labels, value),
    onRender: (refresh) => void refreshers.push(refresh),
    render: () => {
      for (const refresh of refreshers) refresh()
      return registry.metrics()
    },
    contentType: registry.contentType,
  }
}
