import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type Command, Option } from 'commander'
import { equalBytes } from '../base/bytes.ts'
import { inspectConfig, loadConfig } from '../base/config/load.ts'
import type { TomlLiteral } from '../base/config/value-type.ts'
import { LockstepError, messageOf } from '../base/error.ts'
import { nanosecondsNow } from '../base/time.ts'
import { readValidatorPublicKey } from '../chain/consensus/validator/key-file.ts'
import type { Genesis } from '../evm/chain-types/genesis.ts'
import { decodeGenesis } from '../evm/chain-types/genesis-codec.ts'
import type { Fund } from '../evm/chain-types/genesis-presets.ts'
import type { Home } from '../node/home/home.ts'
import { lockHome } from '../node/home/home-lock.ts'
import { initializeHome } from '../node/home/initialize-home.ts'
import { writeSettings } from '../node/home/write-settings.ts'
import { type ChainChoice, parseChainChoice } from './option/chain-choice.ts'
import { addConfigFlags, settingsOfFlags } from './option/config-flags.ts'
import { fundOption } from './option/fund-option.ts'
import { chooseHome, homeOption } from './option/home-option.ts'

interface InitFlags {
  readonly chainId: string
  readonly mode?: 'validator' | 'full'
  readonly genesis?: string
  readonly home?: string
  readonly overwrite?: true
  readonly fund?: readonly Fund[]
}

/** Returns the next steps as commands that run as written. */
function nextCommands(home: Home, flag: string | undefined, genesis: Genesis): string {
  const at = flag === undefined ? '' : ` --home '${home.root.replaceAll("'", `'\\''`)}'`
  const start = `  lockstep start${at}\n`
  if (genesis.accounts.length > 0) return `Next:\n${start}`
  return (
    'No account has funds yet. Next:\n' +
    `  lockstep keys add alice${at}\n` +
    `  lockstep genesis add-account alice 1000ether${at}\n${start}`
  )
}

const NO_GENESIS = (path: string): string =>
  `Get the chain's genesis.json from a source you trust, as ${path}, before the first start\n`

/**
 * Returns the genesis of the chain that a full node joins, if given.
 * @throws INVALID_ARGUMENT, GENESIS_INVALID
 */
function joinedGenesis(path: string | undefined, { chainId }: ChainChoice): Genesis | undefined {
  if (path === undefined) return undefined
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new LockstepError('INVALID_ARGUMENT', `--genesis: ${messageOf(cause)}`, { cause })
  }
  const genesis = decodeGenesis(text)
  if (genesis.params.chainId === chainId) return genesis
  throw new LockstepError(
    'INVALID_ARGUMENT',
    `--chain-id is ${chainId}, but ${path} is of chain ${genesis.params.chainId}`,
    { hint: `pass --chain-id ${genesis.params.chainId}, or the genesis.json of chain ${chainId}` },
  )
}

/** Returns the mode implied by the files. A home without the key of its chain's validator stays a full node. */
async function impliedMode({ config }: Home): Promise<'validator' | 'full'> {
  const { directory } = config
  const { mode } = inspectConfig({ directory, environment: {}, flags: new Map() }).config
  if (mode !== '' && existsSync(config.consensus)) return mode
  const publicKey = await readValidatorPublicKey(config.validatorKey)
  if (publicKey === undefined) return existsSync(config.nodeKey) ? 'full' : 'validator'
  if (!existsSync(config.genesis)) return 'validator'
  const { validators } = decodeGenesis(readFileSync(config.genesis, 'utf8'))
  const isOwn = validators.some((each) => equalBytes(each.publicKey, publicKey))
  return isOwn ? 'validator' : 'full'
}

function refuseUnsuited(mode: 'validator' | 'full', { genesis, fund }: InitFlags): void {
  if (mode === 'validator' && genesis !== undefined) {
    throw new LockstepError('INVALID_ARGUMENT', '--genesis is for --mode full', {
      hint: 'omit --genesis to start a new chain, or pass --mode full to join its chain',
    })
  }
  if (mode === 'full' && fund !== undefined) {
    throw new LockstepError('INVALID_ARGUMENT', '--fund is not for --mode full', {
      hint: 'omit --fund: the joined chain sets the balances',
    })
  }
}

/**
 * Returns the keys passed as flags, for the files of the home.
 * @throws CONFIG_INVALID if a value breaks its rule, alone or together with those that the home keeps
 */
function readSettings(
  { config }: Home,
  { overwrite }: InitFlags,
  passed: ReadonlyMap<string, string>,
): Readonly<Record<string, TomlLiteral>> {
  if (passed.size === 0) return {}
  const directory = overwrite === true ? join(config.directory, 'new') : config.directory
  loadConfig({ directory, environment: {}, flags: passed })
  return settingsOfFlags(passed)
}

export function defineInit(command: Command): void {
  command
    .argument('[moniker]', 'name of the node', 'lockstep')
    .requiredOption('--chain-id <ID>', 'chain: 1329, 1328, dev, or any other EVM chain id')
    .addOption(homeOption())
    .addOption(
      new Option(
        '--mode <MODE>',
        'validator starts a chain, full joins one; a new home defaults to validator',
      ).choices(['validator', 'full']),
    )
    .option('--genesis <FILE>', 'genesis.json of the chain that a full node joins')
    .option('-o, --overwrite', 'replace app.toml, config.toml and genesis.json')
    .addOption(fundOption())
  const readFlags = addConfigFlags(command)
  command.action(async (argument: string, flags: InitFlags) => {
    const home = chooseHome(flags.home)
    const settings = readSettings(home, flags, readFlags())
    const moniker = String(settings.moniker ?? argument)
    const mode = flags.mode ?? (flags.overwrite ? 'validator' : await impliedMode(home))
    refuseUnsuited(mode, flags)
    const choice = parseChainChoice(flags.chainId, '1329')
    const chain =
      mode === 'full'
        ? { genesis: joinedGenesis(flags.genesis, choice) }
        : { ...choice, funds: flags.fund ?? [], time: nanosecondsNow() }
    const lock = lockHome(home)
    try {
      const { genesis, nodeId, written, kept } = await initializeHome(home, {
        ...chain,
        moniker,
        settings,
        overwrite: flags.overwrite ?? false,
      })
      await writeSettings(home, settings)
      for (const path of written) process.stderr.write(`Wrote ${relative(home.root, path)}\n`)
      for (const path of kept) process.stderr.write(`Kept ${relative(home.root, path)}\n`)
      process.stderr.write(`Node initialized with mode: ${mode}\n`)
      if (genesis === undefined) process.stderr.write(NO_GENESIS(home.config.genesis))
      else process.stderr.write(nextCommands(home, flags.home, genesis))
      const summary = {
        app_message: {},
        chain_id: genesis?.consensusChainId ?? flags.chainId,
        gentxs_dir: '',
        moniker,
        node_id: nodeId,
      }
      process.stderr.write(`${JSON.stringify(summary)}\n`)
    } finally {
      lock.release()
    }
  })
}
