import type { MetricRow } from '../../host/base/metrics/metric-row.ts'
import { METRICS } from '../../host/base/metrics/metric-table.ts'
import { markdownTable } from './markdown-table.ts'

function rowsOf(isIncluded: (row: MetricRow) => boolean): (readonly [string, MetricRow])[] {
  return Object.entries<MetricRow>(METRICS).filter(([, row]) => isIncluded(row))
}

function cells([name, { type, labels, help, buckets }]: readonly [string, MetricRow]): string[] {
  return [
    `\`${name}\``,
    buckets === undefined ? type : `${type}: ${buckets.join(', ')}`,
    labels.map((label) => `\`${label}\``).join(', '),
    help,
  ]
}

/** Returns METRICS.md: every metric of the node. */
export function metricPage(): string {
  return [
    '# Metrics',
    '',
    'Written by `tools/gen-docs.ts` from `metric-table.ts`. Served in the Prometheus text format at',
    '`/metrics` of the address `prometheus-listen-addr` if `prometheus` in `[instrumentation]` of config.toml',
    'is true, together with the process metrics of prom-client. Times are in seconds. For a',
    'histogram, the numbers are the upper bounds of its buckets.',
    '',
    ...markdownTable(
      ['Metric', 'Type', 'Labels', 'Meaning'],
      rowsOf(({ of }) => of === undefined).map(cells),
    ),
    '',
    '## Names of other programs',
    '',
    'Existing dashboards and alerts read these. With the embedded engine the node sets those of CometBFT 0.38;',
    'CometBFT itself serves them, and more, at `cometbft-listen-addr`. `namespace` in `[instrumentation]` replaces the',
    'prefix `cometbft`, for dashboards of Tendermint.',
    '',
    ...markdownTable(
      ['Metric', 'Type', 'Labels', 'Meaning', 'Of'],
      rowsOf(({ of }) => of !== undefined).map((row) => [...cells(row), row[1].of ?? '']),
    ),
    '',
  ].join('\n')
}
