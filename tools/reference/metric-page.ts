import { METRICS, type MetricRow } from '../../host/base/metrics/metric-table.ts'
import { markdownTable } from './markdown-table.ts'

/** METRICS.md: every metric of the node. */
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
    'Written by `tools/gen-docs.ts` from `metric-table.ts`. Served in the text format of Prometheus at',
    '`/metrics` of the address `prometheus-listen-addr` once `prometheus` in `[instrumentation]` of config.toml',
    'is true, together with the metrics of the process that prom-client collects. Times are in seconds; of a',
    'histogram, the numbers are the upper bounds of its buckets.',
    '',
    ...markdownTable(['Metric', 'Type', 'Labels', 'Meaning'], rows),
    '',
  ].join('\n')
}
