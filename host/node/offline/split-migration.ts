import { existsSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { renderConfigFile } from '../../base/config/config-file.ts'
import { loadConfig } from '../../base/config/load.ts'
import type { Config } from '../../base/config/schema.ts'
import { withKey } from '../../base/config/set-key.ts'
import type { TomlLiteral } from '../../base/config/value-type.ts'
import { LockstepError } from '../../base/error.ts'
import { neverAborted } from '../../base/signal.ts'
import { isValidatorOf } from '../../chain/consensus/embedded/producer.ts'
import { RpcServer, serverUrl } from '../../chain/consensus/follow/rpc-server.ts'
import { writeFileAtomic } from '../../chain/consensus/validator/atomic-file.ts'
import { readValidatorPublicKey } from '../../chain/consensus/validator/key-file.ts'
import { readProgress as readImport } from '../../chain/snapshot/import-progress.ts'
import type { ImportStep } from '../../chain/snapshot/import-snapshot.ts'
import { readMetadata } from '../../chain/snapshot/snapshot-dir.ts'
import { type TrustedBlock, trustedBlock } from '../../chain/snapshot/sync/trusted-block.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import { decodeGenesis } from '../../evm/chain-types/genesis-codec.ts'
import { type StoreBackend, servedBy } from '../../storage/store/backend-choice.ts'
import { RocksBackend } from '../../storage/store/rocksdb/rocksdb-backend.ts'
import type { Home } from '../home/home.ts'
import { initializeHome } from '../home/initialize-home.ts'
import { importHome } from './home-snapshots.ts'
import {
  restoreFiles,
  type SavedFile,
  type SavedHashes,
  saveFiles,
  verifySaved,
} from './saved-files.ts'

/** Free disk space to leave, bytes. */
const DISK_RESERVE = 128 * 1024 * 1024

/** Source of the state in the new layout: the next start's state sync, or a snapshot. */
export type MigrationSource =
  /** Consensus RPC of the primary. */
  | { readonly from: string }
  /** Folder of the snapshot. */
  | { readonly snapshot: string }

/** A requested migration. */
export interface SplitMigration {
  readonly home: Home
  readonly config: Config
  readonly source: MigrationSource
  /** Backend of the new databases. */
  readonly backend: StoreBackend
}

export interface SplitMigrationOptions extends SplitMigration {
  /** Called before each step with its description; an error it throws aborts the migration, which a rerun continues. */
  readonly onStep: (text: string) => void
  /** Called with the steps of a snapshot import; an error it throws aborts likewise. */
  readonly onImport: (step: ImportStep) => unknown
}

type ResolvedSource =
  | { readonly from: string; readonly trust: TrustedBlock }
  | { readonly snapshot: string }

/** Progress of a migration, stored in `migration.json` of its folder. */
interface Progress {
  readonly source: ResolvedSource
  readonly backend: StoreBackend
  readonly moniker: string
  readonly hashes: SavedHashes
  readonly done: 'saved' | 'deleted' | 'restored' | 'all'
}

/** Returns the folder of a migration's saved files and progress. */
export function migrationFolder({ root }: Home): string {
  return join(root, 'migrate-split-store')
}

function savedFiles({ config, data }: Home): readonly SavedFile[] {
  return [
    { path: data.validatorState, name: 'priv_validator_state.json' },
    { path: config.validatorKey, name: 'priv_validator_key.json' },
    { path: config.genesis, name: 'genesis.json' },
  ]
}

/** Returns the files whose settings are preserved, in addition to the three that the procedure saves. */
function settingFiles({ config }: Home): readonly SavedFile[] {
  return [
    { path: config.consensus, name: 'config.toml' },
    { path: config.app, name: 'app.toml' },
  ]
}

function refused(message: string, hint: string): LockstepError {
  return new LockstepError('UNSUPPORTED', message, { hint })
}

/** @throws UNSUPPORTED for a validator, an archive, or a home that is already split */
async function checkKind({ home, config }: SplitMigration, genesis: Genesis): Promise<void> {
  const publicKey = await readValidatorPublicKey(home.config.validatorKey)
  const isSigner =
    config.mode === 'validator' ||
    (config.mode === '' && publicKey !== undefined && isValidatorOf(genesis, { publicKey }))
  if (isSigner) {
    throw refused(
      `${home.root} is the home of a validator: the split store is for RPC nodes`,
      'migrate a node of mode full; a validator keeps evm-ss-split = false',
    )
  }
  if (config.stateStore.ssKeepRecent === 0) {
    throw refused(
      `${home.root} is an archive (ss-keep-recent = 0): a state sync would lose its history`,
      'keep evm-ss-split = false on an archive, or set ss-keep-recent if the history may be deleted',
    )
  }
  if (config.stateStore.evmSsSplit && existsSync(home.data.evmState)) {
    throw refused(`${home.root} already has evm-ss-split = true`, 'run `lockstep start`')
  }
}

function sizeOf(path: string): number {
  if (!existsSync(path)) return 0
  const status = statSync(path)
  if (!status.isDirectory()) return status.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

/**
 * Old and new layout may be on disk at the same time.
 * @throws STORE_FULL
 */
function checkRoom(home: Home): void {
  const needed = sizeOf(home.data.directory) + DISK_RESERVE
  const { bavail, bsize } = statfsSync(home.root)
  const free = bavail * bsize
  if (free >= needed) return
  throw new LockstepError(
    'STORE_FULL',
    `${home.root} has ${free} bytes of free disk, but a second state store takes up to ${needed}`,
    { hint: 'free disk space, or move the home to a larger disk, and run the command again' },
  )
}

/** @throws NODE_UNREACHABLE, INVALID_ARGUMENT if the server is on another chain */
async function resolveTrust(from: string, genesis: Genesis): Promise<TrustedBlock> {
  const server = new RpcServer(serverUrl(from), genesis.maxBlockBytes, neverAborted())
  return trustedBlock([server], genesis.consensusChainId)
}

/** @throws as `resolveTrust`, SNAPSHOT_INVALID, INVALID_ARGUMENT for a snapshot inside `data/`, which is deleted */
async function resolveSource(
  { home, source }: SplitMigration,
  genesis: Genesis,
): Promise<ResolvedSource> {
  if ('from' in source)
    return { from: source.from, trust: await resolveTrust(source.from, genesis) }
  const inside = relative(home.data.directory, source.snapshot)
  if (!inside.startsWith('..')) {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `${source.snapshot} lies in ${home.data.directory}, which is deleted`,
      { hint: 'move the snapshot out of data/ first' },
    )
  }
  readMetadata(source.snapshot)
  return source
}

function readProgress(folder: string): Progress | undefined {
  const path = join(folder, 'migration.json')
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Progress) : undefined
}

/** Returns whether a migration was interrupted; a rerun continues it. */
export function isMigrationUnfinished(home: Home): boolean {
  const progress = readProgress(migrationFolder(home))
  return progress !== undefined && progress.done !== 'all'
}

async function writeProgress(folder: string, progress: Progress): Promise<void> {
  await writeFileAtomic(join(folder, 'migration.json'), `${JSON.stringify(progress, null, 2)}\n`)
}

/** Runs all checks, saves the files and verifies the copies, before anything is deleted. */
async function begin(options: SplitMigrationOptions): Promise<Progress> {
  const { home, config, backend, onStep } = options
  const genesis = decodeGenesis(readFileSync(home.config.genesis, 'utf8'))
  await checkKind(options, genesis)
  checkRoom(home)
  // Before anything is deleted: a missing package would prevent the start.
  if (servedBy(backend) === 'rocksdb') await RocksBackend.load(() => {}).close()
  const source = await resolveSource(options, genesis)
  const folder = migrationFolder(home)
  onStep(`Saving the key, the signing state, genesis.json and the configuration in ${folder}`)
  const hashes = await saveFiles([...savedFiles(home), ...settingFiles(home)], folder)
  const progress: Progress = {
    source,
    backend,
    moniker: config.moniker,
    hashes,
    done: 'saved',
  }
  await writeProgress(folder, progress)
  return progress
}

/** Returns the files and folders that the procedure deletes. */
function doomed({ root, config, data }: Home): readonly string[] {
  const inData = existsSync(data.directory)
    ? readdirSync(data.directory).map((name) => join(data.directory, name))
    : []
  // The genesis last: a home without one does not start.
  return [config.genesis, ...inData, join(root, 'wasm'), config.validatorKey, config.consensus]
}

/** Returns the settings of [statesync]. */
function stateSyncOf(source: ResolvedSource): Readonly<Record<string, TomlLiteral>> {
  if ('snapshot' in source) return { enable: false }
  const { from, trust } = source
  return {
    enable: true,
    // Two servers are required; one may be listed twice, as in operators' scripts.
    'rpc-servers': `${from},${from}`,
    'trust-height': trust.height,
    'trust-hash': trust.hash,
  }
}

/** Restores the previous settings, with those of the split and of state sync. */
async function configure(home: Home, { hashes, source, backend }: Progress): Promise<void> {
  const folder = migrationFolder(home)
  const textOf = (name: 'config.toml' | 'app.toml'): string =>
    name in hashes ? readFileSync(join(folder, name), 'utf8') : renderConfigFile(name)
  const app = withKey(
    withKey(textOf('app.toml'), 'state-store', 'evm-ss-split', true),
    'state-store',
    'ss-backend',
    backend,
  )
  let consensus = withKey(textOf('config.toml'), '', 'mode', 'full')
  for (const [name, value] of Object.entries(stateSyncOf(source))) {
    consensus = withKey(consensus, 'statesync', name, value)
  }
  await writeFileAtomic(home.config.app, app)
  await writeFileAtomic(home.config.consensus, consensus)
}

/** Runs the checks of a real run and returns its steps as text, for `--dry-run`. */
export async function planSplitMigration(options: SplitMigration): Promise<string[]> {
  const { home, backend } = options
  const folder = migrationFolder(home)
  const begun = readProgress(folder)
  const genesis =
    begun === undefined ? decodeGenesis(readFileSync(home.config.genesis, 'utf8')) : undefined
  if (genesis !== undefined) {
    await checkKind(options, genesis)
    checkRoom(home)
  }
  const source = begun?.source ?? (await resolveSource(options, genesis as Genesis))
  const isSync = 'from' in source
  const named = (path: string) => relative(home.root, path)
  const saved = savedFiles(home).map(({ path }) => named(path))
  return [
    'the node is stopped: its home is locked while this runs',
    `copy ${saved.join(', ')} into ${folder}, sync the copies, read them back and compare their hashes`,
    `delete ${doomed(home).filter(existsSync).map(named).join(', ') || 'nothing more'}`,
    `write the home again, with evm-ss-split = true and ss-backend = "${backend}"`,
    isSync
      ? `set [statesync] to ${source.from}, trust height ${source.trust.height}, trust hash ${source.trust.hash}`
      : `set enable = false in [statesync]: the state comes from ${source.snapshot}`,
    `restore ${saved.join(', ')} and compare their hashes`,
    isSync
      ? 'run `lockstep start`: it syncs the state into both stores'
      : `import ${source.snapshot} into both stores, then run \`lockstep start\``,
  ]
}

/**
 * Prepares the home of a stopped RPC node for a state sync into the split store: all of the contract's seven steps
 * except the last, the start. Nothing is deleted before the saved files are on disk and verified. An interrupted run
 * is continued by running it again.
 * @throws UNSUPPORTED, STORE_FULL, NODE_UNREACHABLE, INVALID_ARGUMENT, STORE_CORRUPTED
 */
export async function migrateToSplit(options: SplitMigrationOptions): Promise<void> {
  const { home, onStep } = options
  const folder = migrationFolder(home)
  const earlier = readProgress(folder)
  const isBegun = earlier !== undefined && earlier.done !== 'all'
  if (isBegun) onStep(`Continuing the migration of ${folder}`)
  let progress = isBegun ? earlier : await begin(options)
  if (progress.done === 'restored') return fill(options, progress)
  await verifySaved(folder, progress.hashes)
  if (progress.done === 'saved') {
    for (const path of doomed(home)) {
      onStep(`Deleting ${relative(home.root, path)}`)
      await rm(path, { recursive: true, force: true })
    }
    progress = { ...progress, done: 'deleted' }
    await writeProgress(folder, progress)
  }
  onStep('Writing the home with evm-ss-split = true and the state sync')
  await mkdir(dirname(home.config.app), { recursive: true, mode: 0o700 })
  await configure(home, progress)
  const { moniker } = progress
  await initializeHome(home, { genesis: undefined, moniker, overwrite: false })
  onStep('Restoring the saved files')
  await restoreFiles(savedFiles(home), folder, progress.hashes)
  progress = { ...progress, done: 'restored' }
  await writeProgress(folder, progress)
  await fill(options, progress)
}

/** Imports the snapshot, if there is one; otherwise state sync fills the stores at the start. */
async function fill(
  { home, onStep, onImport }: SplitMigrationOptions,
  progress: Progress,
): Promise<void> {
  const { source } = progress
  const { directory } = home.data
  const isFilled = existsSync(home.data.evmState) && readImport(directory) === undefined
  if ('snapshot' in source && !isFilled) {
    onStep(`Importing ${source.snapshot}`)
    const sources = { directory: home.config.directory, environment: {}, flags: new Map() }
    const { config } = loadConfig(sources)
    const snapshot = { dir: source.snapshot, genesis: undefined, mode: 'full' } as const
    await importHome({ home, config }, snapshot, onImport)
  }
  await writeProgress(migrationFolder(home), { ...progress, done: 'all' })
}
