import type { Config } from '../../base/config/schema.ts'
import { LockstepError } from '../../base/error.ts'
import type { Logger } from '../../base/log/logger.ts'
import { catchUp } from '../../chain/consensus/state-machine/catch-up.ts'
import { amendedStorage } from '../../chain/dev/amended-state.ts'
import type { DevJournal } from '../../chain/dev/dev-journal.ts'
import { refuseUnfinishedImport } from '../../chain/snapshot/import-progress.ts'
import { CommitThread } from '../../storage/commit/commit-thread.ts'
import type { Committer, ReversibleCommitter } from '../../storage/commit/committer.ts'
import { openCommitter } from '../../storage/commit/lmdb-committer.ts'
import type { StateProver } from '../../storage/commit/proof/state-proof.ts'
import type { IndexProgress } from '../../storage/store/chain/lmdb-chain-store.ts'
import type { NodeStorage, StorageStartup } from '../../storage/store/node-storage.ts'
import { openStorage } from '../../storage/store/open-storage.ts'
import type { BaseState } from '../../storage/store/state/base-state.ts'
import type { Storage } from '../../storage/store/storage.ts'
import type { Disposables } from '../disposables.ts'
import type { Home } from '../home/home.ts'
import { refuseUnfinishedRollback } from '../home/unfinished-rollback.ts'
import { readModule } from '../wasm.ts'
import { rebuildLog } from './rebuild-log.ts'

export interface Stores {
  readonly storage: NodeStorage
  /** The same storage, with the amendments of a development chain in its state. */
  readonly amended: Storage
  /** Set for a development chain. */
  readonly journal: DevJournal | undefined
  readonly committer: ReversibleCommitter & StateProver
}

/** How a chain is stored. */
export interface StorageMode {
  /** Set for a development chain. */
  readonly journal: DevJournal | undefined
  /**
   * True for a development chain under --dev: blocks are acknowledged before they are on disk, flushed late, and may
   * be removed again.
   */
  readonly isUnsynced: boolean
}

/**
 * Blocks between flushes of the tables behind the write-ahead log. Ten seconds of blocks share one sorted write, and
 * a start after a crash replays at most that many.
 */
const FLUSH_INTERVAL = 25
const PLAIN: StorageMode = { journal: undefined, isUnsynced: false }
/** The same for chains that remove blocks: unflushed blocks are removed in memory. */
const LATE_FLUSH_INTERVAL = 1024

const INDEXING = {
  transactions: 'Building the transaction index',
  logs: 'Building the log index',
} as const

const COMMIT_BEHIND = 'Building the state commit up to the latest block'

/** Operators search for these three lines after a migration: keep their texts and labels. */
function logStartup(logger: Logger, startup: StorageStartup): void {
  const { backend, servedBy } = startup
  logger.info('NodeDB SS is enabled', {
    backend,
    servedBy: servedBy === backend ? undefined : servedBy,
  })
  if (startup.evm !== undefined) {
    const { dir, separateDbs } = startup.evm
    logger.info('NodeDB EVM StateStore optimization is enabled', { separateDBs: separateDbs })
    logger.info('EVM state store enabled', { dir, separateDBs: separateDbs })
  }
  if (startup.emptyWalAt !== undefined) {
    logger.warn('the write-ahead log is missing: a new one starts after the latest block', {
      height: startup.emptyWalAt,
    })
  }
  if (startup.replayed !== undefined) {
    const { from, to } = startup.replayed
    logger.info('Replaying WAL', { fromVersion: from, toVersion: to })
  }
  if (startup.cutBytes > 0) {
    logger.warn('removed a torn write at the end of the write-ahead log', {
      bytes: startup.cutBytes,
    })
  }
  if (startup.evmGap !== undefined) {
    const { from, end } = startup.evmGap
    logger.warn('EVM state is missing: it was written while evm-ss-split was on', {
      fromHeight: from,
      toHeight: end === undefined ? undefined : end - 1,
    })
  }
}

/** Logs index building at the start, at the end, and periodically in between. */
function logIndexing(logger: Logger): (progress: IndexProgress) => void {
  const logs = {
    transactions: rebuildLog(logger, INDEXING.transactions),
    logs: rebuildLog(logger, INDEXING.logs),
  }
  return ({ index, ...step }) => logs[index](step)
}

/** Opens the storage of a home; `base` is the chain that it forks from, if any. */
export async function openHomeStorage(
  home: Home,
  config: Config,
  logger: Logger,
  closers: Disposables,
  { isLate = false, base }: { readonly isLate?: boolean; readonly base?: BaseState } = {},
): Promise<NodeStorage> {
  refuseUnfinishedImport(home.data.directory)
  refuseUnfinishedRollback(home.data.directory)
  const { ssBackend, evmSsSplit, evmSsSeparateDbs, ssKeepRecent, ssPruneInterval } =
    config.stateStore
  const storage = await openStorage({
    dir: home.data.directory,
    backend: ssBackend,
    evmSplit: evmSsSplit,
    evmSeparateDbs: evmSsSeparateDbs,
    // Interval 0 disables pruning.
    keepRecent: ssPruneInterval === 0 ? 0 : ssKeepRecent,
    pruneIntervalMs: ssPruneInterval * 1000,
    retainBlocks: config.minRetainBlocks,
    flushInterval: isLate ? LATE_FLUSH_INTERVAL : FLUSH_INTERVAL,
    isLate,
    ...(base !== undefined && { base }),
    onDroppedIndex: ({ dir, reason }) => {
      logger.warn('an index is rebuilt from the blocks', { dir, reason })
    },
    onIndexing: logIndexing(logger),
  })
  closers.add(() => storage.close())
  logStartup(logger, storage.startup)
  return storage
}

/**
 * Opens storage and state commit, and brings them to the same height. `onError` is called if the state commit thread
 * dies, after which the node cannot continue.
 */
export async function openStores(
  home: Home,
  config: Config,
  logger: Logger,
  closers: Disposables,
  onError: (error: unknown) => void,
  { journal, isUnsynced: isLate }: StorageMode = PLAIN,
): Promise<Stores> {
  // Starts while this thread opens the storage
  const thread = isLate ? undefined : new CommitThread({ onError })
  const storage = await openHomeStorage(home, config, logger, closers, { isLate }).catch(
    async (thrown) => {
      await thread?.close()
      throw thrown
    },
  )
  // Added after the storage, so closed before it
  if (thread !== undefined) closers.add(() => thread.close())
  journal?.prune(storage.state.earliest)
  const options = {
    dir: home.data.stateCommit,
    module: await WebAssembly.compile(await readModule('commit')),
    keepRecent: config.stateCommit.scKeepRecent,
    flushEvery: config.stateSync.snapshotInterval,
    isReversible: isLate,
  }
  const isMissing = storage.state.gap !== undefined && storage.state.gap.end === undefined
  if (isMissing && storage.chain.latest >= 0) {
    await restoreEvm(home, storage, () => CommitThread.open({ ...options, onError }), logger)
  }
  // Under --dev each block is awaited, so a thread gains nothing: two messages would take longer than the commit.
  const committer = thread ?? (await openCommitter(options))
  if (thread === undefined) closers.add(() => committer.close())
  else await thread.open(options)
  await reachBlocks(storage, committer, home.data.stateCommit, logger)
  const amended = journal === undefined ? storage : amendedStorage(storage, journal)
  return { storage, amended, journal, committer }
}

/** @throws errors of `catchUp`, with the path of the state commit */
async function reachBlocks(
  storage: Storage,
  committer: Committer,
  dir: string,
  logger: Logger,
): Promise<void> {
  const { version } = committer
  const log = rebuildLog(logger, COMMIT_BEHIND)
  const from = Math.max(0, version + 1)
  try {
    await catchUp(storage, committer, (height, to) => log({ from, height, to }))
  } catch (thrown) {
    if (!(thrown instanceof LockstepError)) throw thrown
    const { code, message, hint, data } = thrown
    throw new LockstepError(code, `state commit ${dir} at height ${version}: ${message}`, {
      hint,
      data,
      cause: thrown,
    })
  }
}

/**
 * Copies the EVM data of the latest height from the state commit to the general store. Without it, no block could be
 * executed after the split was turned off.
 */
async function restoreEvm(
  home: Home,
  storage: NodeStorage,
  open: () => Promise<Committer>,
  logger: Logger,
): Promise<void> {
  const height = storage.chain.latest
  logger.info('Copying EVM state into the general state store', { height })
  const committer = await open()
  try {
    await reachBlocks(storage, committer, home.data.stateCommit, logger)
  } finally {
    // Closing flushes memory to disk.
    await committer.close()
  }
  const { CommitSnapshot } = await import('../../storage/commit/commit-snapshot.ts')
  const { loadEvmState } = await import('../../chain/snapshot/load-state.ts')
  const commit = CommitSnapshot.open(home.data.stateCommit)
  try {
    await storage.state.restoreEvm((general) => loadEvmState(commit, [general]))
  } finally {
    await commit.close()
  }
  logger.info('EVM state is complete from this height on', { height })
}
