import { METRICS, type MetricRow } from '../../host/base/metrics/metric-table.ts'
import { markdownTable } from './markdown-table.ts'

/** Returns METRICS.md: every metric of the node. */
export function metricPage(): string {
  const rows = Object.entries<MetricRow>(METRICS).map(([name, { type, labels, help, buckets }]) => [
    `\`${name}\``,
    buckets === undefined ? type : `${type}: ${buckets.join(', ')}`,
    labels.map((label) => `\`${label}\``).join(', '),
    help,
  ])
  return [
    '# Metrics',
    '',
    'Written by `tools/gen-docs.ts` from `metric-table.ts`. Served in the Prometheus text format at',
    '`/metrics` of the address `prometheus-listen-addr` if `prometheus` in `[instrumentation]` of config.toml',
    'is true, together with the process metrics of prom-client. Times are in seconds. For a',
    'histogram, the numbers are the upper bounds of its buckets.',
    '',
    ...markdownTable(['Metric', 'Type', 'Labels', 'Meaning'], rows),
    '',
  ].join('\n')
}
