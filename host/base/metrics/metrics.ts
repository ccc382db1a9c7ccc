import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from 'prom-client'
import type { Counting } from './counting.ts'
import type { MetricRow } from './metric-row.ts'
import { type GaugeName, type Labels, METRICS, type MetricName } from './metric-table.ts'
import type { Counts } from './thread-counts.ts'

/** The node's metrics. */
export interface Metrics extends Counting {
  /** Sets a gauge. */
  set<Name extends GaugeName>(name: Name, labels: Labels<Name>, value: number): void
  /** Replaces the counts of a thread by its new totals. */
  merge(thread: number, counts: Counts): void
  /** Registers a callback that sets current gauges, called each time before metrics are read. */
  onRender(refresh: () => void): void
  /** Returns all metrics in Prometheus' text format. */
  render(): Promise<string>
  /** Content type of `render`. */
  readonly contentType: string
}

/** Prefix of CometBFT's names in the table, replaced by `namespace` of the configuration. */
export const COMET_NAMESPACE = 'cometbft'

/** Returns the name under which a metric is served. */
function servedName(name: MetricName, namespace: string): string {
  return name.replace(/^cometbft(?=_)/, namespace)
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

function base(name: string, row: MetricRow, registry: Registry) {
  return { name, help: row.help, labelNames: row.labels, registers: [registry] }
}

/** Returns a recorder that writes into a prom-client registry. */
function countInto(registry: Registry, namespace: string): Counting {
  const counters = new Map(
    definitionsOf('counter').map(([name, row]) => [
      name,
      new Counter<string>(base(servedName(name, namespace), row, registry)),
    ]),
  )
  const histograms = new Map(
    definitionsOf('histogram').map(([name, row]) => [
      name,
      new Histogram<string>({
        ...base(servedName(name, namespace), row, registry),
        buckets: [...(row.buckets ?? [])],
      }),
    ]),
  )
  return {
    add: (name, labels, value = 1) => find(counters, name).inc(labels, value),
    observe: (name, labels, value) => find(histograms, name).observe(labels, value),
  }
}

async function countsOf(registry: Registry): Promise<Counts> {
  return (await registry.getMetricsAsJSON()) as Counts
}

/**
 * Returns the metrics of one node, with those of its process (memory, event loop, garbage collection).
 * @param namespace prefix of the metrics under CometBFT's names
 */
export function createMetrics(namespace = COMET_NAMESPACE): Metrics {
  const registry = new Registry()
  const counted = new Registry()
  const threads = new Map<number, Counts>()
  collectDefaultMetrics({ register: registry })
  const gauges = new Map(
    definitionsOf('gauge').map(([name, row]) => [
      name,
      new Gauge<string>(base(servedName(name, namespace), row, registry)),
    ]),
  )
  const refreshers: (() => void)[] = []
  return {
    ...countInto(counted, namespace),
    set: (name, labels, value) => find(gauges, name).set(labels, value),
    merge: (thread, counts) => void threads.set(thread, counts),
    onRender: (refresh) => void refreshers.push(refresh),
    render: async () => {
      for (const refresh of refreshers) refresh()
      const all =
        threads.size === 0
          ? counted
          : AggregatorRegistry.aggregate([await countsOf(counted), ...threads.values()])
      return `${await registry.metrics()}\n${await all.metrics()}`
    },
    contentType: registry.contentType,
  }
}
