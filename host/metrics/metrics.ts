import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
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

/** Metrics of one node, with those of its process (memory, event loop, garbage collection). */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const base = (name: string, row: MetricRow) => ({
    name,
    help: row.help,
    labelNames: row.labels,
    registers,
  })
  const counters = new Map(
    definitionsOf('counter').map(([name, row]) => [name, new Counter<string>(base(name, row))]),
  )
  const gauges = new Map(
    definitionsOf('gauge').map(([name, row]) => [name, new Gauge<string>(base(name, row))]),
  )
  const histograms = new Map(
    definitionsOf('histogram').map(([name, row]) => [
      name,
      new Histogram<string>({ ...base(name, row), buckets: [...(row.buckets ?? [])] }),
    ]),
  )
  const refreshers: (() => void)[] = []
  return {
    add: (name, labels, value = 1) => find(counters, name).inc(labels, value),
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
