import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { equalBytes } from '../../base/bytes.ts'
import { renderConfigFile } from '../../base/config/config-file.ts'
import type { TomlLiteral } from '../../base/config/value-type.ts'
import { LockstepError } from '../../base/error.ts'
import { formatData } from '../../base/hex.ts'
import { type Ed25519Key, generateKey } from '../../chain/consensus/comet/ed25519.ts'
import { writeFileAtomic } from '../../chain/consensus/validator/atomic-file.ts'
import {
  nodeIdOf,
  readNodeKey,
  readValidatorKey,
  writeNodeKey,
  writeValidatorKey,
} from '../../chain/consensus/validator/key-file.ts'
import { UNSIGNED, writeSignState } from '../../chain/consensus/validator/sign-state.ts'
import type { Genesis, GenesisValidator } from '../../evm/chain-types/genesis.ts'
import { decodeGenesis, writableGenesis } from '../../evm/chain-types/genesis-codec.ts'
import {
  type DevelopmentChoices,
  type Fund,
  type PresetName,
  presetGenesis,
} from '../../evm/chain-types/genesis-presets.ts'
import type { Home } from './home.ts'
import { DEV_CONFIG } from './new-home-config.ts'

/** A chain to start in this home. */
export interface NewChain {
  readonly preset: PresetName
  /** EVM chain id; overrides the preset's. */
  readonly chainId?: bigint
  /** Balances of accounts in addition to the preset's. */
  readonly funds?: readonly Fund[]
  /** Accounts of the dev preset that replace the well-known ones. */
  readonly developers?: readonly Fund[]
  /** What the first block of the dev preset has otherwise. */
  readonly choices?: DevelopmentChoices
  /** Genesis time, in nanoseconds since 1970. */
  readonly time: bigint
}

/**
 * An existing chain. The home gets mode full, and its own key, which every CometBFT node has; it signs nothing with
 * it.
 */
export interface JoinedChain {
  /** Undefined if genesis.json is supplied later. */
  readonly genesis: Genesis | undefined
}

/** A chain that several homes start together: this home has the key of a genesis validator. */
export interface SharedChain {
  readonly genesis: Genesis
  readonly mode: 'validator'
}

export type InitializeOptions = (NewChain | JoinedChain | SharedChain) & {
  readonly moniker: string
  /** Non-default settings of the two configuration files, by `ConfigEntry.flag`. */
  readonly settings?: Readonly<Record<string, TomlLiteral>>
  /** Replaces app.toml, config.toml and genesis.json. Keys and signing state are always kept. */
  readonly overwrite: boolean
}

export interface InitializedHome {
  /** Undefined if the joined chain's genesis.json is supplied later. */
  readonly genesis: Genesis | undefined
  readonly nodeId: string
  /** Files in the order they were checked. */
  readonly written: readonly string[]
  readonly kept: readonly string[]
}

/** Power of a validator of a new chain; only ratios matter. */
export const VALIDATOR_POWER = 10

function readGenesis(path: string): Genesis {
  return decodeGenesis(readFileSync(path, 'utf8'))
}

const REPLACE = 'pass --overwrite to replace it, or use another --home'

/** Returns whether the data folder has a chain, which the validator may have signed. */
function hasChainData(home: Home): boolean {
  if (!existsSync(home.data.directory)) return false
  const own = [basename(home.data.validatorState), basename(home.data.addressBook)]
  return readdirSync(home.data.directory).some((name) => !own.includes(name))
}

/**
 * Writes the missing files of a home. The genesis is written last, so that a home with a genesis is complete even if
 * the first attempt was interrupted. The signing state is not created next to an existing chain: a validator without
 * its signing record could sign a height twice.
 * @throws INVALID_ARGUMENT if the existing genesis is another chain's, VALIDATOR_KEY or GENESIS_INVALID if an
 * existing file cannot be read
 */
export async function initializeHome(
  home: Home,
  options: InitializeOptions,
): Promise<InitializedHome> {
  const written: string[] = []
  const kept: string[] = []
  const provide = async (path: string, keep: boolean, write: () => Promise<void>) => {
    if (keep) {
      kept.push(path)
      return
    }
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    written.push(path)
    await write()
  }
  const provideKey = async (
    path: string,
    read: (path: string) => Promise<Ed25519Key>,
    write: (path: string, key: Ed25519Key) => Promise<void>,
  ): Promise<Ed25519Key> => {
    const exists = existsSync(path)
    const key = exists ? await read(path) : generateKey()
    await provide(path, exists, () => write(path, key))
    return key
  }

  const keepsGenesis = existsSync(home.config.genesis) && !options.overwrite
  const existing = keepsGenesis ? readGenesis(home.config.genesis) : undefined
  const isBegun = 'genesis' in options
  // In parallel, since each syncs to disk
  const [nodeKey, validatorKey] = await Promise.all([
    provideKey(home.config.nodeKey, readNodeKey, writeNodeKey),
    provideKey(home.config.validatorKey, readValidatorKey, writeValidatorKey),
  ])
  const begun = (chain: NewChain): Genesis => {
    const { publicKey } = validatorKey
    const self: GenesisValidator = { publicKey, power: VALIDATOR_POWER, name: options.moniker }
    const isDevelopment = chain.preset === 'dev'
    return existing ?? presetGenesis(chain.preset, { ...chain, isDevelopment, validators: [self] })
  }
  const genesis = isBegun ? (existing ?? options.genesis) : begun(options)
  const mode = isBegun && !('mode' in options) ? 'full' : 'validator'
  if (genesis !== undefined) refuseOtherChain(home, genesis, options)

  const hasState = existsSync(home.data.validatorState)
  const keepsState = hasState || hasChainData(home)
  const keeps = (path: string): boolean => existsSync(path) && !options.overwrite
  const isDev = 'preset' in options && options.preset === 'dev'
  const consensus = { ...options.settings, moniker: options.moniker, mode }
  const app = { ...(isDev && DEV_CONFIG), ...options.settings }
  // In parallel, since each syncs to disk
  await Promise.all([
    provide(home.data.validatorState, keepsState, () =>
      writeSignState(home.data.validatorState, UNSIGNED),
    ),
    provide(home.config.consensus, keeps(home.config.consensus), () =>
      writeFileAtomic(home.config.consensus, renderConfigFile('config.toml', consensus)),
    ),
    provide(home.config.app, keeps(home.config.app), () =>
      writeFileAtomic(home.config.app, renderConfigFile('app.toml', app)),
    ),
  ])
  if (genesis !== undefined) {
    await provide(home.config.genesis, keepsGenesis, () =>
      writeFileAtomic(home.config.genesis, writableGenesis(genesis)),
    )
  }
  return { genesis, nodeId: nodeIdOf(nodeKey), written, kept }
}

function refuseOtherChain(home: Home, genesis: Genesis, options: InitializeOptions): void {
  if ('genesis' in options) return
  const { chainId, funds = [] } = options
  if (chainId !== undefined && chainId !== genesis.params.chainId) {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `${home.config.genesis} is the genesis of chain ${genesis.params.chainId}, not of ${chainId}`,
      { hint: REPLACE },
    )
  }
  for (const { address, balance } of funds) {
    const account = genesis.accounts.find((each) => equalBytes(each.address, address))
    if (account?.balance === balance) continue
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `${home.config.genesis} exists and gives ${formatData(address)} ${account?.balance ?? 0n} wei, ` +
        `not ${balance}`,
      { hint: REPLACE },
    )
  }
}
