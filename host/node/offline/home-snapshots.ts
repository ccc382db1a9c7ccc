import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderConfigFile } from '../../base/config/config-file.ts'
import type { Config } from '../../base/config/schema.ts'
import { withKey } from '../../base/config/set-key.ts'
import type { TomlLiteral } from '../../base/config/value-type.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import type { Logger } from '../../base/log/logger.ts'
import { addressOf } from '../../chain/consensus/comet/validator-set.ts'
import { BlockStore } from '../../chain/consensus/embedded/block-store.ts'
import { isValidatorOf } from '../../chain/consensus/embedded/producer.ts'
import { writeFileAtomic } from '../../chain/consensus/validator/atomic-file.ts'
import { readValidatorKey } from '../../chain/consensus/validator/key-file.ts'
import { recordPath } from '../../chain/consensus/validator/sign-record.ts'
import { closeHeights, readSignState } from '../../chain/consensus/validator/sign-state.ts'
import { exportSnapshot } from '../../chain/snapshot/export-snapshot.ts'
import { type ImportOptions, importSnapshot } from '../../chain/snapshot/import-snapshot.ts'
import { importTarget } from '../../chain/snapshot/import-target.ts'
import type { SnapshotMetadata } from '../../chain/snapshot/metadata.ts'
import type { ListedSnapshot } from '../../chain/snapshot/snapshot-dir.ts'
import { readMetadata } from '../../chain/snapshot/snapshot-dir.ts'
import { verifySnapshot } from '../../chain/snapshot/verify-snapshot.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import { decodeGenesis } from '../../evm/chain-types/genesis-codec.ts'
import { isEthereumGenesis } from '../../evm/execute/ethereum/genesis.ts'
import { Closers } from '../closers.ts'
import { openHasher } from '../commit-hasher.ts'
import type { Home } from '../home/home.ts'
import { snapshotFolder } from '../home/home.ts'
import { initializeHome } from '../home/initialize-home.ts'
import { writeSettings } from '../home/write-settings.ts'
import { openHomeStorage, openStores } from '../open/open-stores.ts'
import { commitAtHeight } from './earlier-commit.ts'

/** A home whose node does not run: whoever calls holds its lock. */
export interface HomeContext {
  readonly home: Home
  readonly config: Config
  readonly logger: Logger
}

/** @throws HOME_MISSING, UNSUPPORTED for the home of an imported chain, GENESIS_INVALID */
export function readOwnGenesis({ root, config }: Home): Genesis {
  if (!existsSync(config.genesis)) {
    throw new LockstepError('HOME_MISSING', `${root} has no config/genesis.json`, {
      hint: "pass --genesis with the chain's genesis.json, from whom you trust",
    })
  }
  return readGenesis(config.genesis, readFileSync(config.genesis, 'utf8'))
}

/** @throws UNSUPPORTED for the genesis of an imported chain, GENESIS_INVALID */
function readGenesis(path: string, text: string): Genesis {
  if (!isEthereumGenesis(text)) return decodeGenesis(text)
  throw new LockstepError('UNSUPPORTED', `${path} is of an imported chain: it has no snapshots`, {
    hint: 'import the file of blocks into the other home',
  })
}

/** The text of a file that a flag names. @throws INVALID_ARGUMENT */
function tryRead(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new LockstepError('INVALID_ARGUMENT', `--genesis: ${messageOf(cause)}`, { cause })
  }
}

/**
 * Exports the state of a home, the newest where no height is named.
 * @param onTurn told now and then how many chunks were written; what it throws ends the export
 * @throws what `exportSnapshot` throws
 */
export async function exportHome(
  { home, config, logger }: HomeContext,
  height: number | undefined,
  onTurn: (written: number) => void,
): Promise<ListedSnapshot> {
  const genesis = readOwnGenesis(home)
  const stores = new Closers()
  try {
    // Where the state commit thread dies, what it was asked fails as well.
    await openStores(home, config, logger, stores, () => {})
  } finally {
    // Closing brings the state commit on disk to the newest height.
    await stores.close()
  }
  let written = 0
  const pause = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    onTurn(written)
  }
  await pause()
  const closers = new Closers()
  try {
    const storage = await openHomeStorage(home, config, logger, closers)
    const commit = await commitAtHeight(home, storage, height)
    closers.add(() => commit.remove())
    const { chain } = storage
    const decided = openDecided(home, config, closers)
    return await exportSnapshot({
      genesis,
      chain,
      decided,
      stateCommit: commit.dir,
      folder: snapshotFolder(home, config),
      onChunk: (chunks) => {
        written = chunks
      },
      pause,
      ...(height !== undefined && { height }),
    })
  } finally {
    await closers.close()
  }
}

/** The blocks of consensus; undefined where CometBFT has them. */
function openDecided(home: Home, config: Config, closers: Closers): BlockStore | undefined {
  if (config.consensus.engine === 'cometbft') return undefined
  const decided = new BlockStore(join(home.data.directory, 'blockstore.db'))
  closers.add(() => decided.close())
  return decided
}

/** A snapshot that is imported, and the genesis that it must begin with. */
export interface ImportedSnapshot {
  readonly dir: string
  /** Path of the genesis for a home that has none. */
  readonly genesis: string | undefined
  /** What the home is from then on; what it was where undefined. */
  readonly mode: 'full' | 'validator' | undefined
  /** Keys that are written into the files of the home, by `ConfigEntry.flag`. */
  readonly settings?: Readonly<Record<string, TomlLiteral>>
}

/**
 * Makes a home of a chain that others have begun, with keys of its own: it signs nothing for them.
 * @throws INVALID_ARGUMENT where the file cannot be read
 */
async function joinChain(
  home: Home,
  path: string,
  { moniker = 'lockstep', ...settings }: Readonly<Record<string, TomlLiteral>>,
): Promise<void> {
  const genesis = readGenesis(path, tryRead(path))
  await initializeHome(home, { genesis, moniker: String(moniker), settings, overwrite: false })
}

/** Writes the mode into config.toml, which is made when it is missing. */
async function setMode({ config }: Home, mode: 'full' | 'validator'): Promise<void> {
  const path = config.consensus
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined
  const text =
    before === undefined
      ? renderConfigFile('config.toml', { mode })
      : withKey(before, '', 'mode', mode)
  if (text !== before) await writeFileAtomic(path, text)
}

/**
 * A home that is to sign above the snapshot needs the validator's key, which has signed nothing above it.
 * @throws VALIDATOR_KEY, DOUBLE_SIGN
 */
async function checkSigner(
  { home: { config }, config: { consensus } }: Pick<HomeContext, 'home' | 'config'>,
  genesis: Genesis,
  height: number,
): Promise<void> {
  const { publicKey } = await readValidatorKey(config.validatorKey)
  // Under CometBFT validators come and go: staking has them, genesis.json those that began.
  if (consensus.engine === 'embedded' && !isValidatorOf(genesis, { publicKey })) {
    throw new LockstepError(
      'VALIDATOR_KEY',
      `${config.validatorKey} is not the key of the validator of genesis.json`,
      { hint: 'leave --mode validator out: the home then follows the chain' },
    )
  }
  const record = recordPath(config.validatorKey, addressOf(publicKey))
  const signed = existsSync(record) ? (await readSignState(record)).height : 0
  if (signed <= height) return
  throw new LockstepError(
    'DOUBLE_SIGN',
    `Duplicate signature refused: the snapshot is of height ${height}, and the key has signed height ${signed}`,
    { hint: `import a snapshot of height ${signed} or later, of a node that followed` },
  )
}

/**
 * Imports a snapshot into a home, which is made when it is missing and the genesis is given. The home follows
 * the chain from then on, and signs nothing, unless `mode` says otherwise.
 * @throws what `importSnapshot` throws, VALIDATOR_KEY and DOUBLE_SIGN where it is to sign and must not
 */
export async function importHome(
  { home, config }: Pick<HomeContext, 'home' | 'config'>,
  { dir, genesis: path, mode, settings = {} }: ImportedSnapshot,
  onStep: NonNullable<ImportOptions['onStep']>,
): Promise<SnapshotMetadata> {
  if (path !== undefined && !existsSync(home.config.genesis)) await joinChain(home, path, settings)
  const genesis = readOwnGenesis(home)
  await writeSettings(home, settings)
  if (mode === 'validator') await checkSigner({ home, config }, genesis, readMetadata(dir).height)
  const { ssBackend, evmSsSplit, evmSsSeparateDbs } = config.stateStore
  return importSnapshot({
    dir,
    target: importTarget(home.data.directory, ssBackend),
    genesis,
    underCometBft: config.consensus.engine === 'cometbft',
    hasher: await openHasher(),
    backend: ssBackend,
    evmSplit: evmSsSplit,
    evmSeparateDbs: evmSsSeparateDbs,
    onProven: async (height) => {
      await closeHeights(home.data.validatorState, height)
      if (mode !== undefined) await setMode(home, mode)
    },
    onStep,
  })
}

/** Checks a snapshot, against the genesis of a home where it has one. @throws SNAPSHOT_INVALID */
export async function verifyDir(
  { home, config }: Pick<HomeContext, 'home' | 'config'>,
  dir: string,
  onChunk: (read: number, of: number) => void,
): Promise<SnapshotMetadata> {
  const genesis = existsSync(home.config.genesis) ? readOwnGenesis(home) : undefined
  const underCometBft = config.consensus.engine === 'cometbft'
  return verifySnapshot({ dir, genesis, underCometBft, hasher: await openHasher(), onChunk })
}
