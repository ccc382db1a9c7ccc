import type { Command } from 'commander'
import { chooseHome, homeOption } from '../option/home-option.ts'
import { parseInterval } from '../option/interval.ts'
import {
  ask,
  type LagResponse,
  type NodeAddresses,
  nodeAddressesOf,
  type Status,
} from './consensus-client.ts'
import { watch } from './watch.ts'

interface StatusFlags {
  readonly home?: string
  readonly node?: string
  readonly json?: true
  readonly watch?: true
  readonly interval: string
}

/** A node without a key reports an empty address. */
function validatorText({ address, voting_power: power }: Status['validator_info']): string {
  return address === '' ? 'no: this is a full node' : `${address} (power ${power})`
}

function lagText({ lag }: LagResponse): string {
  return lag === null ? 'unknown: no peer reports its height' : `${lag} blocks behind the best peer`
}

/** Returns the status for people, one line for each value. */
export function formatStatus(
  { node_info, sync_info, validator_info }: Status,
  lag: LagResponse,
): string {
  const rows = [
    ['Node', `${node_info.moniker} (${node_info.id})`],
    ['Chain', node_info.network],
    ['Height', `${sync_info.latest_block_height} at ${sync_info.latest_block_time}`],
    ['Earliest', sync_info.earliest_block_height],
    ['App hash', sync_info.latest_app_hash],
    ['Catching up', sync_info.catching_up ? 'yes' : 'no'],
    ['Lag', lagText(lag)],
    ['Validator', validatorText(validator_info)],
  ]
  return rows.map(([name = '', value]) => `${name.padEnd(12)} ${value}\n`).join('')
}

/** Returns the JSON of Cosmos command lines, for existing scripts. */
function formatJson({ node_info, sync_info, validator_info }: Status, lag: LagResponse): string {
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

export function defineStatus(command: Command): void {
  command
    .addOption(homeOption())
    .option('-n, --node <URL>', 'consensus RPC of the node (default: that of the home)')
    .option('--json', 'print JSON; the default if the output is not a terminal')
    .option('--watch', 'repeat until q or Ctrl-C: a page on a terminal, otherwise a line per check')
    .option('--interval <DURATION>', 'time between two checks of --watch', '1s')
    .action(async (flags: StatusFlags) => {
      const base = flags.node?.replace(/^tcp:/, 'http:').replace(/\/$/, '')
      const addresses = (): NodeAddresses =>
        base === undefined
          ? nodeAddressesOf(chooseHome(flags.home))
          : { consensus: base, metrics: undefined }
      if (flags.watch === true) {
        const intervalMs = parseInterval(flags.interval)
        await watch({ addresses, intervalMs, asJson: flags.json ?? false })
        return
      }
      const { consensus } = addresses()
      const status = await ask<Status>(consensus, '/status')
      const lag = await ask<LagResponse>(consensus, '/lag_status')
      const isTable = process.stdout.isTTY && flags.json === undefined
      process.stdout.write((isTable ? formatStatus : formatJson)(status, lag))
    })
}
