import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderConfigFile } from '../../base/config/config-file.ts'
import type { Config } from '../../base/config/schema.ts'
import { withKey } from '../../base/config/set-key.ts'
import type { TomlLiteral } from '../../base/config/value-type.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import type { Logger } from '../../base/log/logger.ts'
import { yieldToEventLoop } from '../../base/yield-to-event-loop.ts'
import { cometAddress } from '../../chain/consensus/comet/validator-set.ts'
import { ConsensusBlockStore } from '../../chain/consensus/embedded/block-store.ts'
import { isValidatorOf } from '../../chain/consensus/embedded/producer.ts'
import { writeFileAtomic } from '../../chain/consensus/validator/atomic-file.ts'
import { readValidatorKey } from '../../chain/consensus/validator/key-file.ts'
import { signRecordPath } from '../../chain/consensus/validator/sign-record.ts'
import { closeHeights, readSignState } from '../../chain/consensus/validator/sign-state.ts'
import { exportSnapshot } from '../../chain/snapshot/export-snapshot.ts'
import { importSnapshot, type SnapshotImportOptions } from '../../chain/snapshot/import-snapshot.ts'
import { importTarget } from '../../chain/snapshot/import-target.ts'
import type { SnapshotMetadata } from '../../chain/snapshot/metadata.ts'
import type { ListedSnapshot } from '../../chain/snapshot/snapshot-dir.ts'
import { readMetadata } from '../../chain/snapshot/snapshot-dir.ts'
import { verifySnapshot } from '../../chain/snapshot/verify-snapshot.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import { decodeGenesis } from '../../evm/chain-types/genesis-codec.ts'
import { isEthereumGenesis } from '../../evm/execute/ethereum/genesis.ts'
import { openHasher } from '../commit-hasher.ts'
import { Disposables } from '../disposables.ts'
import type { Home } from '../home/home.ts'
import { snapshotFolder } from '../home/home.ts'
import { initializeHome } from '../home/initialize-home.ts'
import { writeSettings } from '../home/write-settings.ts'
import { openHomeStorage, openStores } from '../open/open-stores.ts'
import { commitAtHeight } from './earlier-commit.ts'

/** A home whose node is stopped; the caller holds its lock. */
export interface HomeContext {
  readonly home: Home
  readonly config: Config
  readonly logger: Logger
}

/** @throws HOME_MISSING, UNSUPPORTED for the home of an imported chain, GENESIS_INVALID */
export function readOwnGenesis({ root, config }: Home): Genesis {
  if (!existsSync(config.genesis)) {
    throw new LockstepError('HOME_MISSING', `${root} has no config/genesis.json`, {
      hint: "pass --genesis with the chain's genesis.json from a source that you trust",
    })
  }
  return readGenesis(config.genesis, readFileSync(config.genesis, 'utf8'))
}

/** @throws UNSUPPORTED for the genesis of an imported chain, GENESIS_INVALID */
function readGenesis(path: string, text: string): Genesis {
  if (!isEthereumGenesis(text)) return decodeGenesis(text)
  throw new LockstepError(
    'UNSUPPORTED',
    `${path} belongs to an imported chain, which has no snapshots`,
    {
      hint: 'import the file of blocks into the other home',
    },
  )
}

/** Reads a file given by a flag. @throws INVALID_ARGUMENT */
function tryRead(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new LockstepError('INVALID_ARGUMENT', `--genesis: ${messageOf(cause)}`, { cause })
  }
}

/**
 * Exports the state of a home at a height, by default the latest.
 * @param onTurn called regularly with the number of chunks written; an error it throws aborts the export
 * @throws errors of `exportSnapshot`
 */
export async function exportHome(
  { home, config, logger }: HomeContext,
  height: number | undefined,
  onTurn: (written: number) => void,
): Promise<ListedSnapshot> {
  const genesis = readOwnGenesis(home)
  const stores = new Disposables()
  try {
    // No handler is needed: if the state commit thread dies, pending requests to it reject.
    await openStores(home, config, logger, stores, () => {})
  } finally {
    // Closing flushes the state commit at the latest height.
    await stores.close()
  }
  let written = 0
  const pause = async (): Promise<void> => {
    await yieldToEventLoop()
    onTurn(written)
  }
  await pause()
  const closers = new Disposables()
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

/** Opens the blocks of consensus; undefined if CometBFT has them. */
function openDecided(
  home: Home,
  config: Config,
  closers: Disposables,
): ConsensusBlockStore | undefined {
  if (config.consensus.engine === 'cometbft') return undefined
  const decided = new ConsensusBlockStore(join(home.data.directory, 'blockstore.db'))
  closers.add(() => decided.close())
  return decided
}

/** A snapshot to import, and the genesis it must match. */
export interface ImportedSnapshot {
  readonly dir: string
  /** Path of the genesis, for a home without one. */
  readonly genesis: string | undefined
  /** Mode of the home after the import; undefined to keep it. */
  readonly mode: 'full' | 'validator' | undefined
  /** Settings to write into the home's files, by `ConfigEntry.flag`. */
  readonly settings?: Readonly<Record<string, TomlLiteral>>
}

/**
 * Creates a home that joins an existing chain, with its own keys, which sign nothing for the chain.
 * @throws INVALID_ARGUMENT if the genesis file cannot be read
 */
async function joinChain(
  home: Home,
  path: string,
  { moniker = 'lockstep', ...settings }: Readonly<Record<string, TomlLiteral>>,
): Promise<void> {
  const genesis = readGenesis(path, tryRead(path))
  await initializeHome(home, { genesis, moniker: String(moniker), settings, overwrite: false })
}

/** Writes the mode into config.toml, which is created if missing. */
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
 * Checks that a home which is to sign has the validator's key, and that the key signed nothing above the snapshot.
 * @throws VALIDATOR_KEY, DOUBLE_SIGN
 */
async function checkSigner(
  { home: { config }, config: { consensus } }: Pick<HomeContext, 'home' | 'config'>,
  genesis: Genesis,
  height: number,
): Promise<void> {
  const { publicKey } = await readValidatorKey(config.validatorKey)
  // Under CometBFT the validator set changes: staking has the current one, genesis.json the initial one.
  if (consensus.engine === 'embedded' && !isValidatorOf(genesis, { publicKey })) {
    throw new LockstepError(
      'VALIDATOR_KEY',
      `${config.validatorKey} is not the key of the validator of genesis.json`,
      { hint: 'omit --mode validator: the home then follows the chain' },
    )
  }
  const record = signRecordPath(config.validatorKey, cometAddress(publicKey))
  const signed = existsSync(record) ? (await readSignState(record)).height : 0
  if (signed <= height) return
  throw new LockstepError(
    'DOUBLE_SIGN',
    `Duplicate signature refused: the snapshot is of height ${height}, and the key has signed height ${signed}`,
    { hint: `import a snapshot of height ${signed} or later, of a node that followed` },
  )
}

/**
 * Imports a snapshot into a home, which is created if missing and `genesis` is given. Afterwards the home follows the
 * chain and does not sign, unless `mode` says otherwise.
 * @throws errors of `importSnapshot`; VALIDATOR_KEY and DOUBLE_SIGN if it is to sign but must not
 */
export async function importHome(
  { home, config }: Pick<HomeContext, 'home' | 'config'>,
  { dir, genesis: path, mode, settings = {} }: ImportedSnapshot,
  onStep: NonNullable<SnapshotImportOptions['onStep']>,
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

/** Verifies a snapshot, also against the home's genesis if it has one. @throws SNAPSHOT_INVALID */
export async function verifyDir(
  { home, config }: Pick<HomeContext, 'home' | 'config'>,
  dir: string,
  onChunk: (read: number, of: number) => void,
): Promise<SnapshotMetadata> {
  const genesis = existsSync(home.config.genesis) ? readOwnGenesis(home) : undefined
  const underCometBft = config.consensus.engine === 'cometbft'
  return verifySnapshot({ dir, genesis, underCometBft, hasher: await openHasher(), onChunk })
}
