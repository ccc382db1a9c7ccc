import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import { ConsensusBlockStore } from '../../chain/consensus/embedded/block-store.ts'
import { refuseUnfinishedImport } from '../../chain/snapshot/import-progress.ts'
import { removeSnapshotsAbove } from '../../chain/snapshot/snapshot-dir.ts'
import { isEthereumGenesis } from '../../evm/execute/ethereum/genesis.ts'
import { CommitSnapshot } from '../../storage/commit/commit-snapshot.ts'
import { StorageRollback } from '../../storage/store/storage-rollback.ts'
import { snapshotFolder } from '../home/home.ts'
import {
  endRollback,
  readRollback,
  type UnfinishedRollback,
  writeRollback,
} from '../home/unfinished-rollback.ts'
import type { HomeContext } from './home-snapshots.ts'
import { EmbeddedBlocks, type RollbackBlocks } from './rollback-blocks.ts'
import { CometBlocks } from './rollback-comet.ts'
import { rollBackCommit } from './rollback-commit.ts'
import { RollbackReach } from './rollback-reach.ts'
import type {
  HomeHeights,
  RollbackListener,
  RollbackRequest,
  RolledBack,
} from './rollback-request.ts'
import { allowSigning, refuseSignedHeights } from './rollback-signing.ts'

/**
 * Rolls a home back to an earlier height: state commit, state store, blocks, receipts and indexes. The state commit
 * comes first and must have the app hash that the next block states, before anything else is removed. An interrupted
 * rollback is completed by the next call, whatever its request.
 * @throws STATE_PRUNED if the height is no longer available, naming the lowest that is; DOUBLE_SIGN, UNSUPPORTED,
 * APP_HASH_MISMATCH, STORE_CORRUPTED, STORE_FULL
 */
export async function rollBackHome(
  context: HomeContext,
  request: RollbackRequest,
  listener: RollbackListener,
): Promise<RolledBack> {
  const { home, config } = context
  const data = home.data.directory
  refuseUnfinishedImport(data)
  refuseImported(context)
  const { ssBackend, evmSsSplit, evmSsSeparateDbs } = config.stateStore
  const storage = await StorageRollback.open({
    dir: data,
    backend: ssBackend,
    evmSplit: evmSsSplit,
    evmSeparateDbs: evmSsSeparateDbs,
  })
  let blocks: RollbackBlocks | undefined
  try {
    const unfinished = readRollback(data)
    blocks =
      config.consensus.engine === 'cometbft'
        ? await CometBlocks.open(context, unfinished, listener)
        : new EmbeddedBlocks(new ConsensusBlockStore(join(data, 'blockstore.db')))
    const heights = await heightsOf(context, storage, blocks)
    const rollback = unfinished ?? plan(heights, request)
    listener.onHeights(heights, rollback.target, unfinished !== undefined)
    const reach = await RollbackReach.open(home.data.stateCommit, storage, blocks)
    reach.check(rollback.target, heights.app)
    if (rollback.hard) await refuseSignedHeights(context, rollback)
    await writeRollback(data, rollback)
    return await apply(context, storage, blocks, rollback, listener)
  } finally {
    await blocks?.close()
    await storage.close()
  }
}

/** @throws UNSUPPORTED */
function refuseImported({ home }: HomeContext): void {
  const { genesis } = home.config
  if (!existsSync(genesis) || !isEthereumGenesis(readFileSync(genesis, 'utf8'))) return
  throw new LockstepError(
    'UNSUPPORTED',
    `${home.root} holds an imported chain: it cannot be rolled back`,
    {
      hint: 'import the file of blocks up to the height you want into a new --home',
    },
  )
}

async function heightsOf(
  { home }: HomeContext,
  storage: StorageRollback,
  blocks: RollbackBlocks,
): Promise<HomeHeights> {
  const app = Math.max(0, storage.latest)
  return {
    app,
    appHash: await knownHash(home.data.stateCommit, storage, blocks, app),
    consensus: blocks.height,
  }
}

/** Returns the app hash after `height`, from any store that has it. */
async function knownHash(
  stateCommit: string,
  storage: StorageRollback,
  blocks: RollbackBlocks,
  height: number,
): Promise<Uint8Array | undefined> {
  const recorded = recordedHash(storage, blocks, height)
  if (recorded !== undefined || !existsSync(join(stateCommit, 'data.mdb'))) return recorded
  const commit = CommitSnapshot.open(stateCommit)
  const { version, appHash } = commit
  await commit.close()
  return version === height ? appHash : undefined
}

/** Returns the app hash after `height` that the next block states, or that a clean stop stored. */
function recordedHash(
  storage: StorageRollback,
  blocks: RollbackBlocks,
  height: number,
): Uint8Array | undefined {
  return storage.header(height + 1)?.stateRoot ?? blocks.appHash(height)
}

/** @throws INVALID_ARGUMENT for a height below 0 */
function plan({ app, consensus }: HomeHeights, request: RollbackRequest): UnfinishedRollback {
  const { hard, signAgain } = request
  if (Math.max(app, consensus) === 0) {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      'the chain is at height 0: there is no block to roll back',
      {
        hint: 'start the node, which continues from its genesis',
      },
    )
  }
  if (app !== consensus) return { target: Math.min(app, consensus), hard, signAgain }
  const target = app - request.blocks
  if (target >= 0) return { target, hard, signAgain }
  throw new LockstepError(
    'INVALID_ARGUMENT',
    `cannot rollback: current height is ${app}, cannot rollback below 0`,
    { hint: `pass -n with a number from 1 to ${app}` },
  )
}

async function apply(
  context: HomeContext,
  storage: StorageRollback,
  blocks: RollbackBlocks,
  rollback: UnfinishedRollback,
  listener: RollbackListener,
): Promise<RolledBack> {
  const { home, config } = context
  const { hard } = rollback
  const removed = hard && blocks.height > rollback.target
  const commitTo = (height: number): Promise<Uint8Array> => {
    const recorded = recordedHash(storage, blocks, height)
    return rollBackCommit(context, storage, height, recorded, listener)
  }
  let appHash = await commitTo(rollback.target)
  const settled = await blocks.rollBack(rollback)
  if (settled !== rollback) await writeRollback(home.data.directory, settled)
  const { target } = settled
  const recorded = recordedHash(storage, blocks, target)
  if (target < rollback.target) appHash = await commitTo(target)
  if (hard) {
    removeSnapshotsAbove(snapshotFolder(home, config), target)
    if (rollback.signAgain) await allowSigning(context, target)
  }
  let label = ''
  await storage.cut(target, ({ part, done, total, unit }) => {
    if (label !== LABELS[part]) {
      label = LABELS[part]
      listener.onStage({ label, unit, total })
    }
    listener.onProgress(done)
  })
  endRollback(home.data.directory)
  const kept = Math.max(target, blocks.height)
  return { height: target, appHash, stateHash: recorded ?? appHash, kept, removed }
}

const LABELS = { state: 'Removing state', blocks: 'Removing blocks' } as const
