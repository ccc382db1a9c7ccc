import type { Command } from 'commander'
import { LockstepError } from '../base/error.ts'
import type { ListenAddress } from '../config/listen-address.ts'
import type { Home } from '../node/home/home.ts'
import { readReadyFile } from './client/ready-file.ts'
import { chooseHome, configOf, homeOption } from './option/home-option.ts'

interface StatusFlags {
  readonly home?: string
  readonly node?: string
  readonly json?: true
}

/** The parts of /status and /lag_status that are shown. */
interface Status {
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

interface Lag {
  readonly current_height: number
  readonly max_peer_height: number
  readonly lag: number
}

const TIMEOUT_MS = 5_000

/** A server that listens on every address is reached on the loopback one. */
function urlOf({ host, port }: ListenAddress): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

async function ask<Result>(base: string, path: string): Promise<Result> {
  const unreachable = (reason: string, cause?: unknown): LockstepError =>
    new LockstepError('NODE_UNREACHABLE', `no node answers at ${base}: ${reason}`, {
      hint: 'start the node with `lockstep start`, or pass its address with --node',
      cause,
    })
  let text: string
  try {
    const response = await fetch(`${base}${path}`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    text = await response.text()
  } catch (error) {
    const { cause, message } = error as { cause?: NodeJS.ErrnoException; message: string }
    throw unreachable(cause?.code ?? cause?.message ?? message, error)
  }
  try {
    const { result } = JSON.parse(text)
    if (typeof result === 'object' && result !== null) return result
  } catch {
    // Falls through: what answered does not speak JSON-RPC.
  }
  throw unreachable(`${path} is not the consensus RPC's answer`)
}

function formatTable({ node_info, sync_info, validator_info }: Status, lag: Lag): string {
  const rows = [
    ['Node', `${node_info.moniker} (${node_info.id})`],
    ['Chain', node_info.network],
    ['Height', `${sync_info.latest_block_height} at ${sync_info.latest_block_time}`],
    ['Earliest', sync_info.earliest_block_height],
    ['App hash', sync_info.latest_app_hash],
    ['Catching up', sync_info.catching_up ? 'yes' : 'no'],
    ['Lag', `${lag.lag} blocks behind the best peer`],
    ['Validator', `${validator_info.address} (power ${validator_info.voting_power})`],
  ]
  return rows.map(([name = '', value]) => `${name.padEnd(12)} ${value}\n`).join('')
}

/** The form that Cosmos command lines print, so that scripts written for them go on working. */
function formatJson({ node_info, sync_info, validator_info }: Status, lag: Lag): string {
  const shown = {
    NodeInfo: node_info,
    SyncInfo: sync_info,
    ValidatorInfo: {
      Address: validator_info.address,
      PubKey: validator_info.pub_key,
      VotingPower: validator_info.voting_power,
    },
    LagStatus: lag,
  }
  return `${JSON.stringify(shown)}\n`
}

/** Where the node of a home answers: flags and free ports stand in no file of configuration. */
function addressOfHome(home: Home): string {
  const { running, root } = home
  const node = readReadyFile(running)
  if (node === undefined) {
    return urlOf(configOf(home).rpc.laddr)
  }
  if (node.consensus !== null) return node.consensus
  throw new LockstepError('UNSUPPORTED', `${root} serves an imported chain: it has no consensus`, {
    hint: node.rpc === null ? 'turn evm.http_enabled on' : `ask ${node.rpc} for eth_blockNumber`,
  })
}

export function defineStatus(command: Command): void {
  command
    .addOption(homeOption())
    .option('-n, --node <URL>', 'consensus RPC of the node (default: that of the home)')
    .option('--json', 'print JSON, as is also done when the output is not a terminal')
    .action(async (flags: StatusFlags) => {
      const base = flags.node?.replace(/^tcp:/, 'http:').replace(/\/$/, '')
      const node = base ?? addressOfHome(chooseHome(flags.home))
      const status = await ask<Status>(node, '/status')
      const lag = await ask<Lag>(node, '/lag_status')
      const isTable = process.stdout.isTTY && flags.json === undefined
      process.stdout.write((isTable ? formatTable : formatJson)(status, lag))
    })
}
