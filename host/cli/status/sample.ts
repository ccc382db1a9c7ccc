import { timeoutSignal } from '../../base/timer.ts'
import { ask, type LagResponse, type NodeAddresses, type Status } from './consensus-client.ts'

/** The state that a node reports at one time. */
export interface Sample {
  /** Milliseconds of the clock of this machine. */
  readonly at: number
  readonly id: string
  readonly moniker: string
  readonly network: string
  readonly height: number
  /** Of the latest block, in milliseconds since 1970. */
  readonly blockTime: number
  /** App hash in the header of the latest block: the state after the block before it. */
  readonly appHash: string
  readonly isCatchingUp: boolean
  /** Null while no peer reports its height. */
  readonly lag: number | null
  readonly peers: number
  readonly mempool: number
  readonly mempoolBytes: number
  /** Metrics by name, summed over all labels; undefined if unknown. */
  readonly metrics: ReadonlyMap<string, number> | undefined
}

/** Rates per second; undefined until there are two samples. */
export interface Rates {
  /** Seconds between blocks. */
  readonly blockSeconds: number | undefined
  readonly transactions: number | undefined
  readonly gas: number | undefined
  readonly requests: number | undefined
}

const TIMEOUT_MS = 5_000

/** Older samples are dropped from the current rate. */
const WINDOW_MS = 10_000

/** Sums the samples of Prometheus' text format by name. */
export function sumMetrics(page: string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const [, name = '', value] of page.matchAll(/^(\w+)(?:\{.*\})? (\S+)$/gm)) {
    sums.set(name, (sums.get(name) ?? 0) + Number(value))
  }
  return sums
}

/** Reads the metrics, which may be off. */
async function readMetrics(url: string | undefined): Promise<Sample['metrics']> {
  if (url === undefined) return undefined
  try {
    const response = await fetch(url, { signal: timeoutSignal(TIMEOUT_MS) })
    return response.ok ? sumMetrics(await response.text()) : undefined
  } catch {
    return undefined
  }
}

/** @throws NODE_UNREACHABLE */
export async function takeSample({ consensus, metrics }: NodeAddresses): Promise<Sample> {
  const [status, lag, net, pool, page] = await Promise.all([
    ask<Status>(consensus, '/status'),
    ask<LagResponse>(consensus, '/lag_status'),
    ask<{ readonly n_peers: string }>(consensus, '/net_info'),
    ask<{ readonly total: string; readonly total_bytes: string }>(
      consensus,
      '/num_unconfirmed_txs',
    ),
    readMetrics(metrics),
  ])
  return {
    at: Date.now(),
    id: status.node_info.id,
    moniker: status.node_info.moniker,
    network: status.node_info.network,
    height: Number(status.sync_info.latest_block_height),
    blockTime: Date.parse(status.sync_info.latest_block_time),
    appHash: status.sync_info.latest_app_hash,
    isCatchingUp: status.sync_info.catching_up,
    lag: lag.lag,
    peers: Number(net.n_peers),
    mempool: Number(pool.total),
    mempoolBytes: Number(pool.total_bytes),
    metrics: page,
  }
}

/** The samples of the last seconds. */
export class Samples {
  readonly #kept: Sample[] = []

  add(sample: Sample): void {
    const last = this.#kept.at(-1)
    const uptime = ({ metrics }: Sample) => metrics?.get('process_start_time_seconds')
    // Counters of a restarted process start at zero.
    if (last !== undefined && (uptime(last) !== uptime(sample) || last.height > sample.height)) {
      this.#kept.length = 0
    }
    this.#kept.push(sample)
    while (this.#kept.length > 2 && sample.at - (this.#kept[0] as Sample).at > WINDOW_MS) {
      this.#kept.shift()
    }
  }

  get latest(): Sample | undefined {
    return this.#kept.at(-1)
  }

  get rates(): Rates {
    const [first] = this.#kept
    const last = this.#kept.at(-1)
    const seconds = first === undefined || last === undefined ? 0 : (last.at - first.at) / 1000
    const of = (name: string): number | undefined => {
      const [before, after] = [first?.metrics?.get(name), last?.metrics?.get(name)]
      if (seconds <= 0 || before === undefined || after === undefined) return undefined
      return (after - before) / seconds
    }
    const blocks = (last?.height ?? 0) - (first?.height ?? 0)
    return {
      blockSeconds:
        first === undefined || last === undefined || blocks <= 0
          ? undefined
          : (last.blockTime - first.blockTime) / 1000 / blocks,
      transactions: of('lockstep_block_transactions_total'),
      gas: of('lockstep_block_gas_total'),
      requests: of('lockstep_rpc_requests_total'),
    }
  }
}
