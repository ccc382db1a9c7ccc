import { LockstepError } from '../../base/error.ts'
import { timeoutSignal } from '../../base/timer.ts'
import type { Home } from '../../node/home/home.ts'
import { reachableUrl } from '../client/node-address.ts'
import { nodeUnreachable, requestText } from '../client/node-client.ts'
import { readReadyFile } from '../client/ready-file.ts'
import { configOf } from '../option/home-option.ts'

/** The displayed parts of /status and /lag_status. */
export interface Status {
  readonly node_info: { readonly id: string; readonly network: string; readonly moniker: string }
  readonly sync_info: {
    readonly latest_block_height: string
    readonly latest_block_time: string
    readonly latest_app_hash: string
    readonly earliest_block_height: string
    readonly catching_up: boolean
  }
  readonly validator_info: {
    readonly address: string
    readonly pub_key: unknown
    readonly voting_power: string
  }
}

export interface LagResponse {
  readonly current_height: number
  readonly max_peer_height: number
  /** Null while no peer reports its height. */
  readonly lag: number | null
}

const TIMEOUT_MS = 5_000

/** Returns the result of a route of a node's consensus RPC. @throws NODE_UNREACHABLE */
export async function ask<Result>(base: string, path: string): Promise<Result> {
  const unreachable = nodeUnreachable(base, '--node')
  const init = { signal: timeoutSignal(TIMEOUT_MS) }
  const text = await requestText(`${base}${path}`, init, unreachable)
  try {
    const { result } = JSON.parse(text)
    if (typeof result === 'object' && result !== null) return result
  } catch {
    // Falls through: the response is not JSON-RPC.
  }
  throw unreachable(`${path} is not the consensus RPC's answer`)
}

/** The addresses of a node. */
export interface NodeAddresses {
  readonly consensus: string
  /** URL of its metrics, if known. */
  readonly metrics: string | undefined
}

/** Returns the addresses of a home's running node: flags and free ports are not in its configuration files. */
export function nodeAddressesOf(home: Home): NodeAddresses {
  const { running, root } = home
  const node = readReadyFile(running)
  if (node === undefined) {
    return { consensus: reachableUrl(configOf(home).rpc.laddr), metrics: undefined }
  }
  const { consensus, metrics } = node
  if (consensus !== null) return { consensus, metrics: metrics ?? undefined }
  throw new LockstepError('UNSUPPORTED', `${root} serves an imported chain: it has no consensus`, {
    hint: node.rpc === null ? 'turn evm.http_enabled on' : `ask ${node.rpc} for eth_blockNumber`,
  })
}
