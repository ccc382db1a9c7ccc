import { LockstepError } from '../../base/error.ts'
import { hexDigits } from '../../base/hex.ts'
import { yieldToEventLoop } from '../../base/yield-to-event-loop.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import { atLeast } from '../../evm/chain-types/revision.ts'
import { CommitSnapshot } from '../../storage/commit/commit-snapshot.ts'
import type { ChainStore } from '../../storage/store/chain/chain-store.ts'
import { checkFreeSpace } from '../../storage/store/lmdb/lmdb-env.ts'
import type { ConsensusBlockStore } from '../consensus/embedded/block-store.ts'
import { FORMAT, MAX_CHUNK, MAX_CHUNK_FILE, sealMetadata } from './metadata.ts'
import {
  beginSnapshot,
  completeSnapshot,
  findSnapshot,
  type ListedSnapshot,
  removePartial,
} from './snapshot-dir.ts'
import { snapshotItems } from './snapshot-source.ts'
import { SnapshotWriter } from './snapshot-writer.ts'

/** Milliseconds of work between two pauses. */
const TURN_MS = 2
/** Items between two reads of the clock. */
const LOOK_ITEMS = 32
/** Disk space reserved for the node. */
const DISK_RESERVE = 128 * 1024 * 1024

export interface ExportOptions {
  readonly genesis: Genesis
  readonly chain: Pick<ChainStore, 'block' | 'receipts'>
  /** Consensus blocks; undefined if CometBFT has them. */
  readonly decided: ConsensusBlockStore | undefined
  /** The home's `data/committer.db`, which a committer of this process may have open. */
  readonly stateCommit: string
  /** Directory of snapshots: `data/snapshots`. */
  readonly folder: string
  /** Requested height; the latest if undefined. */
  readonly height?: number
  /** Chunk size in bytes before compression; by default the most that a reader accepts. */
  readonly chunkBytes?: number
  /** Called after each chunk with the number written so far. */
  readonly onChunk?: (written: number) => void
  /** Lets other work of the thread run until it resolves. Its rejection ends the export. */
  readonly pause?: () => Promise<void>
}

/**
 * Exports the state that the state commit has on disk, while the chain continues. Returns an existing snapshot of
 * that height unchanged, and removes the remains of an interrupted export. No other export into the folder may run.
 * @throws NOT_FOUND if there is no state, or not of the requested height; UNSUPPORTED; STORE_FULL
 */
export async function exportSnapshot(options: ExportOptions): Promise<ListedSnapshot> {
  const { genesis, chain, decided, folder, chunkBytes = MAX_CHUNK } = options
  const { onChunk = () => {}, pause = yieldToEventLoop } = options
  checkRevision(genesis)
  removePartial(folder)
  const commit = CommitSnapshot.open(options.stateCommit)
  try {
    const { version: height } = commit
    checkHeight(height, options.height)
    const known = findSnapshot(folder, height)
    if (known !== undefined) return known
    const partial = beginSnapshot(folder, height)
    const writer = new SnapshotWriter(partial, chunkBytes)
    let turnEnds = performance.now() + TURN_MS
    let items = 0
    for (const item of snapshotItems({ chain, decided, commit })) {
      writer.add(item)
      if (writer.isFull) {
        checkFreeSpace(folder, DISK_RESERVE + MAX_CHUNK_FILE)
        await writer.flush()
        onChunk(writer.chunks)
      } else if (++items % LOOK_ITEMS !== 0 || performance.now() < turnEnds) {
        continue
      }
      await pause()
      turnEnds = performance.now() + TURN_MS
    }
    checkFreeSpace(folder, DISK_RESERVE + MAX_CHUNK_FILE)
    const chunks = await writer.finish()
    const appHash = hexDigits(commit.appHash)
    const chainId = genesis.consensusChainId
    const metadata = sealMetadata({ format: FORMAT, height, chainId, appHash, chunks })
    return { dir: await completeSnapshot(folder, partial, metadata), metadata }
  } finally {
    await commit.close()
  }
}

/** Before EIP-161 an empty account differs from an absent one, but FlatKV has no row for it. */
function checkRevision({ params }: Genesis): void {
  if (atLeast(params.revision, 'SpuriousDragon')) return
  throw new LockstepError(
    'UNSUPPORTED',
    `the chain runs under ${params.revision}: a snapshot cannot contain its empty accounts`,
  )
}

function checkHeight(height: number, wanted: number | undefined): void {
  if (height < 1) {
    throw new LockstepError('NOT_FOUND', 'the chain has no block yet: there is nothing to export', {
      hint: 'start the node until it has made a block',
    })
  }
  if (wanted === undefined || wanted === height) return
  throw new LockstepError(
    'NOT_FOUND',
    `the state of height ${wanted} cannot be exported: the state commit is at height ${height}`,
    { hint: 'leave --height out, or pass latest' },
  )
}
