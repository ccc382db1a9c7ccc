import { type Command, Option } from 'commander'
import { LockstepError } from '../../base/error.ts'
import { nanosecondsNow } from '../../base/time.ts'
import type { Fund } from '../../evm/chain-types/genesis-presets.ts'
import { VALIDATOR_POWER } from '../../node/home/initialize-home.ts'
import {
  type InitializedNetwork,
  initializeNetwork,
} from '../../node/network/initialize-network.ts'
import { type NodeSetting, planNetwork } from '../../node/network/network-plan.ts'
import { parseChainChoice } from '../option/chain-choice.ts'
import { fundOption } from '../option/fund-option.ts'
import { addSetting, integerBetween, readHosts, readPowers } from './network-flags.ts'

interface InitFlags {
  readonly validators: number
  readonly full: number
  readonly out: string
  readonly chainId: string
  readonly fund?: readonly Fund[]
  readonly powers?: readonly number[]
  readonly basePort: number
  readonly evmPort: number
  readonly hosts?: readonly string[]
  readonly set?: readonly NodeSetting[]
  readonly json?: true
}

/** Maximum active validators of the staking module. */
const MAX_VALIDATORS = 100
const MAX_FULL = 100

/** Returns the voting powers. @throws INVALID_ARGUMENT */
function powersOf({ validators, powers }: InitFlags): readonly number[] {
  if (powers === undefined) return Array.from({ length: validators }, () => VALIDATOR_POWER)
  if (powers.length === validators) return powers
  throw new LockstepError(
    'INVALID_ARGUMENT',
    `--powers names ${powers.length} voting powers for ${validators} validators`,
    { hint: 'name one for each' },
  )
}

function toText({ nodes, genesis }: InitializedNetwork, { out, hosts }: InitFlags): string {
  const rows = nodes.map(({ name, nodeId, host, ports: { p2p, consensus, evm } }) => {
    return `  ${name.padEnd(13)} ${nodeId}@${host}:${p2p}  consensus RPC ${consensus}, EVM JSON-RPC ${evm}`
  })
  const noFunds = genesis.accounts.length === 0 ? ['No account has funds: pass --fund'] : []
  const next =
    hosts === undefined
      ? ['Next:', `  lockstep network start '${out.replaceAll("'", `'\\''`)}'`]
      : ['Next: copy each folder to its machine as the home of its node, and start it there']
  const { chainId } = genesis.params
  return [
    `Chain ${chainId}, ${nodes.length} nodes in ${out}`,
    ...rows,
    ...noFunds,
    ...next,
    '',
  ].join('\n')
}

function toJson({ nodes, genesis }: InitializedNetwork): string {
  const shown = nodes.map(({ name, mode, power, nodeId, home, host, ports }) => {
    return { name, mode, power, nodeId, home, host, ports }
  })
  return `${JSON.stringify({ chainId: Number(genesis.params.chainId), nodes: shown })}\n`
}

export function defineNetworkInit(command: Command): void {
  command
    .option(
      '--validators <COUNT>',
      'nodes that produce blocks',
      integerBetween(1, MAX_VALIDATORS),
      4,
    )
    .option('--full <COUNT>', 'nodes that follow and serve', integerBetween(0, MAX_FULL), 0)
    .requiredOption('--out <DIR>', 'new folder for the homes, one per node')
    .option('--chain-id <ID>', 'chain: dev, 1329, 1328, or any other EVM chain id', 'dev')
    .addOption(fundOption())
    .option('--powers <POWERS>', 'voting powers of the validators, such as 26,25,25,24', readPowers)
    .option(
      '--base-port <PORT>',
      'p2p port of the first node; the consensus RPC has the next port, metrics the fourth; each further node adds ten',
      integerBetween(1, 65_535),
      26_656,
    )
    .option(
      '--evm-port <PORT>',
      'EVM JSON-RPC port of the first node; WebSocket alone has the next port; each further node adds ten',
      integerBetween(1, 65_535),
      8_545,
    )
    .option(
      '--hosts <HOSTS>',
      'machines of the nodes, validators first, separated by commas; by default all run on this machine',
      readHosts,
    )
    .addOption(
      new Option(
        '--set <[NODE:]KEY=VALUE>',
        'a key of config.toml or app.toml for all nodes, for one by its name, or for all of a mode ' +
          '(validator, full); may be repeated',
      ).argParser(addSetting),
    )
    .option('--json', 'print an object')
    .action(async (flags: InitFlags) => {
      const nodes = planNetwork({
        powers: powersOf(flags),
        full: flags.full,
        hosts: flags.hosts ?? [],
        basePort: flags.basePort,
        evmPort: flags.evmPort,
        settings: flags.set ?? [],
      })
      const choice = parseChainChoice(flags.chainId, '1329')
      const network = await initializeNetwork({
        folder: flags.out,
        chain: { ...choice, funds: flags.fund ?? [], time: nanosecondsNow() },
        nodes,
      })
      process.stdout.write(flags.json === true ? toJson(network) : toText(network, flags))
    })
}
