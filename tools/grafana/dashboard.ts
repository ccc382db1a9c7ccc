// The Grafana dashboard, one row per panel. `npm run -s generate` writes it to generated/lockstep.json, which Grafana
// imports.

/** A graph of the dashboard. */
export interface Panel {
  readonly title: string
  /** A unit, by Grafana's name. */
  readonly unit: string
  /** A legend for each expression; if empty, the instance. */
  readonly targets: readonly (readonly [expression: string, legend: string])[]
}

/** The panels below a heading. */
export interface Section {
  readonly title: string
  readonly panels: readonly Panel[]
}

/** A label filter for every metric: the selected nodes. */
const NODE = 'instance=~"$instance"'

function rate(metric: string, by: readonly string[] = []): string {
  return `sum by (${['instance', ...by].join(', ')}) (rate(${metric}{${NODE}}[$__rate_interval]))`
}

function gauge(metric: string): string {
  return `${metric}{${NODE}}`
}

function quantile(share: number, metric: string, by: string): string {
  return `histogram_quantile(${share}, sum by (le, ${by}) (rate(${metric}_bucket{${NODE}}[$__rate_interval])))`
}

export const SECTIONS: readonly Section[] = [
  {
    title: 'Chain',
    panels: [
      { title: 'Height', unit: 'none', targets: [[gauge('lockstep_block_height'), '']] },
      {
        title: 'Age of the latest block',
        unit: 's',
        targets: [[`time() - ${gauge('lockstep_block_timestamp_seconds')}`, '']],
      },
      {
        title: 'Ready, and blocks behind the best peer',
        unit: 'none',
        targets: [
          [gauge('lockstep_ready'), 'ready {{instance}}'],
          [gauge('lockstep_sync_lag_blocks'), 'behind {{instance}}'],
        ],
      },
      {
        title: 'Blocks without address index',
        unit: 'none',
        targets: [
          [
            `${gauge('lockstep_block_height')} - on (instance) ${gauge('lockstep_address_index_height')}`,
            '',
          ],
        ],
      },
      {
        title: 'CometBFT peers and restarts',
        unit: 'none',
        targets: [
          [gauge('lockstep_comet_peers'), 'peers {{instance}}'],
          [gauge('lockstep_comet_restarts_total'), 'restarts {{instance}}'],
        ],
      },
      {
        title: 'Transactions',
        unit: 'reqps',
        targets: [[rate('lockstep_block_transactions_total', ['status']), '{{status}}']],
      },
      {
        title: 'Speculatively executed transactions',
        unit: 'reqps',
        targets: [[rate('lockstep_ahead_transactions_total', ['outcome']), '{{outcome}}']],
      },
      { title: 'Gas a second', unit: 'short', targets: [[rate('lockstep_block_gas_total'), '']] },
      {
        title: 'Block time by phase (p95)',
        unit: 's',
        targets: [[quantile(0.95, 'lockstep_block_phase_seconds', 'phase'), '{{phase}}']],
      },
    ],
  },
  {
    title: 'Compiled EVM code',
    panels: [
      {
        title: 'Memory',
        unit: 'bytes',
        targets: [[gauge('lockstep_compiled_code_bytes'), '']],
      },
      {
        title: 'Regions',
        unit: 'none',
        targets: [[gauge('lockstep_compiled_code_regions'), '']],
      },
      {
        title: 'Regions by outcome',
        unit: 'reqps',
        targets: [[rate('lockstep_compiled_code_total', ['outcome']), '{{outcome}}']],
      },
    ],
  },
  {
    title: 'Mempool',
    panels: [
      {
        title: 'Transactions that wait',
        unit: 'none',
        targets: [
          [gauge('lockstep_mempool_transactions'), 'all'],
          [gauge('lockstep_mempool_queued_transactions'), 'for a nonce or funds'],
        ],
      },
      {
        title: 'Size',
        unit: 'bytes',
        targets: [
          [gauge('lockstep_mempool_memory_bytes'), 'memory'],
          [gauge('lockstep_mempool_bytes'), 'encoded'],
        ],
      },
      {
        title: 'Dropped',
        unit: 'reqps',
        targets: [[rate('lockstep_mempool_dropped_total', ['reason']), '{{reason}}']],
      },
    ],
  },
  {
    title: 'JSON-RPC',
    panels: [
      {
        title: 'Requests by method',
        unit: 'reqps',
        targets: [[`topk(10, ${rate('lockstep_rpc_requests_total', ['method'])})`, '{{method}}']],
      },
      {
        title: 'Errors by code',
        unit: 'reqps',
        targets: [
          [
            `sum by (code) (rate(lockstep_rpc_requests_total{${NODE}, code!="0"}[$__rate_interval]))`,
            '{{code}}',
          ],
        ],
      },
      {
        title: 'Response time (p95)',
        unit: 's',
        targets: [
          [`topk(10, ${quantile(0.95, 'lockstep_rpc_request_seconds', 'method')})`, '{{method}}'],
        ],
      },
      {
        title: 'Explorer requests by status',
        unit: 'reqps',
        targets: [[rate('lockstep_explorer_requests_total', ['status']), '{{status}}']],
      },
      {
        title: 'Pending client work',
        unit: 'none',
        targets: [[gauge('lockstep_client_work_waiting'), '']],
      },
      {
        title: 'Held for clients',
        unit: 'bytes',
        targets: [[gauge('lockstep_client_held_bytes'), '']],
      },
    ],
  },
  {
    title: 'Traces',
    panels: [
      {
        title: 'Traces',
        unit: 'none',
        targets: [
          [gauge('lockstep_traces_running'), 'running'],
          [gauge('lockstep_traces_queued'), 'waiting'],
        ],
      },
      {
        title: 'Ends',
        unit: 'reqps',
        targets: [[rate('lockstep_traces_total', ['end']), '{{end}}']],
      },
      {
        title: 'Cache hits',
        unit: 'percentunit',
        targets: [
          [
            `sum(rate(lockstep_trace_cache_lookups_total{${NODE}, result="hit"}[$__rate_interval])) / ` +
              `sum(rate(lockstep_trace_cache_lookups_total{${NODE}}[$__rate_interval]))`,
            'hits',
          ],
        ],
      },
      {
        title: 'Defects',
        unit: 'none',
        targets: [
          [gauge('lockstep_trace_differences_total'), 'differences from receipts'],
          [gauge('lockstep_trace_threads_lost_total'), 'threads lost'],
        ],
      },
    ],
  },
  {
    title: 'Payments',
    panels: [
      {
        title: 'Challenges and payments',
        unit: 'reqps',
        targets: [
          [rate('lockstep_payment_challenges_total', ['resource']), 'asked {{resource}}'],
          [
            rate('lockstep_payments_total', ['resource', 'protocol', 'result']),
            '{{result}} {{resource}} {{protocol}}',
          ],
        ],
      },
      {
        title: 'Refused proofs',
        unit: 'reqps',
        targets: [[rate('lockstep_payment_refusals_total', ['reason']), '{{reason}}']],
      },
      {
        title: 'Time to decide, claim and settle (p95)',
        unit: 's',
        targets: [
          [quantile(0.95, 'lockstep_payment_decision_seconds', 'outcome'), '{{outcome}}'],
          [quantile(0.95, 'lockstep_payment_claim_seconds', 'instance'), 'claim'],
          [quantile(0.95, 'lockstep_payment_settle_seconds', 'success'), 'settled: {{success}}'],
        ],
      },
      {
        title: 'Settler',
        unit: 'short',
        targets: [
          [gauge('lockstep_payment_settler_balance'), 'balance'],
          [gauge('lockstep_payment_settlements_in_flight'), 'in flight'],
        ],
      },
      {
        title: 'Settlements that the settler can pay for',
        unit: 'short',
        targets: [[gauge('lockstep_payment_settlements_left'), 'left']],
      },
    ],
  },
  {
    title: 'Store',
    panels: [
      {
        title: 'Size of tables',
        unit: 'bytes',
        targets: [[gauge('lockstep_store_bytes'), '{{member}} {{table}}']],
      },
      {
        title: 'Rows of tables',
        unit: 'short',
        targets: [[gauge('lockstep_store_rows'), '{{member}} {{table}}']],
      },
      {
        title: 'Write amplification',
        unit: 'none',
        targets: [
          [
            `${rate('lockstep_store_written_bytes_total', ['table'])} / ` +
              rate('lockstep_store_logical_bytes_total', ['table']),
            '{{table}}',
          ],
        ],
      },
      {
        title: 'Pending flushes and compactions',
        unit: 'bytes',
        targets: [
          [gauge('lockstep_store_pending_bytes'), 'flush'],
          [gauge('lockstep_store_compaction_backlog_bytes'), 'compaction'],
        ],
      },
      {
        title: 'Blocks only in log and memory',
        unit: 'none',
        targets: [[gauge('lockstep_store_flush_lag_blocks'), '']],
      },
    ],
  },
  {
    title: 'Process',
    panels: [
      {
        title: 'Memory',
        unit: 'bytes',
        targets: [
          [gauge('process_resident_memory_bytes'), 'resident'],
          [gauge('nodejs_heap_size_used_bytes'), 'heap'],
        ],
      },
      { title: 'Cores', unit: 'none', targets: [[rate('process_cpu_seconds_total'), '']] },
      {
        title: 'Event loop delay (p99)',
        unit: 's',
        targets: [[gauge('nodejs_eventloop_lag_p99_seconds'), '']],
      },
      { title: 'Open files', unit: 'none', targets: [[gauge('process_open_fds'), '']] },
    ],
  },
]

const COLUMNS = 3
const WIDTH = 24 / COLUMNS
const HEIGHT = 7
const DATASOURCE = { type: 'prometheus', uid: '$datasource' }

/** Lays out the panels in rows of three, each section below its heading. */
function layOut(): object[] {
  const panels: object[] = []
  let y = 0
  const add = (panel: object): void => {
    panels.push({ id: panels.length + 1, ...panel })
  }
  for (const { title, panels: graphs } of SECTIONS) {
    add({
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y: y++, w: 24, h: 1 },
    })
    for (const [place, graph] of graphs.entries()) {
      const x = (place % COLUMNS) * WIDTH
      const down = Math.floor(place / COLUMNS) * HEIGHT
      add({
        type: 'timeseries',
        title: graph.title,
        datasource: DATASOURCE,
        gridPos: { x, y: y + down, w: WIDTH, h: HEIGHT },
        fieldConfig: { defaults: { unit: graph.unit, min: 0 }, overrides: [] },
        targets: graph.targets.map(([expr, legend], i) => ({
          refId: String.fromCharCode(65 + i),
          expr,
          legendFormat: legend === '' ? '{{instance}}' : legend,
        })),
      })
    }
    y += Math.ceil(graphs.length / COLUMNS) * HEIGHT
  }
  return panels
}

/** Returns the dashboard in Grafana's import format. */
export function renderDashboard(): string {
  const dashboard = {
    uid: 'lockstep',
    title: 'Lockstep',
    tags: ['lockstep'],
    schemaVersion: 39,
    editable: true,
    refresh: '10s',
    time: { from: 'now-1h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
        {
          name: 'instance',
          label: 'Node',
          type: 'query',
          datasource: DATASOURCE,
          query: 'label_values(lockstep_block_height, instance)',
          refresh: 2,
          multi: true,
          includeAll: true,
          current: { text: 'All', value: '$__all' },
        },
      ],
    },
    panels: layOut(),
  }
  return `${JSON.stringify(dashboard, null, 1)}\n`
}
