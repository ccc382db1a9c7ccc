import { equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { hexDigits } from '../../base/hex.ts'
import type { CommitSnapshot } from '../../storage/commit/commit-snapshot.ts'
import { flatPosition, physicalKey } from '../../storage/commit/flatkv/flat-key.ts'
import { rowHeight } from '../../storage/commit/flatkv/flat-row.ts'
import { DATABASES } from '../../storage/commit/flatkv/flatkv.ts'
import type { ChainStore } from '../../storage/store/chain/chain-store.ts'
import type { ExecutedBlock } from '../../storage/store/codec/block-record.ts'
import type { ConsensusBlockStore } from '../consensus/embedded/block-store.ts'
import { encodeBlockRecord, encodeDecidedRecord } from './chain-record.ts'
import type { SnapshotItem } from './item-codec.ts'
import { recordPieces } from './record-stream.ts'
import { EVM_LABELS, firstBlock, SECTIONS } from './snapshot-format.ts'

/** The stores that a snapshot is made from. They may advance meanwhile. */
export interface SnapshotStores {
  readonly chain: Pick<ChainStore, 'block' | 'receipts'>
  /** Consensus blocks; undefined if CometBFT has them. */
  readonly decided: ConsensusBlockStore | undefined
  readonly commit: CommitSnapshot
}

/**
 * Yields the stream of a snapshot of the version of `commit`. In order: the blocks that a node needs to continue, the
 * decided block, the modules' trees, FlatKV's rows, the bytecode, and the app hash. Memory holds one item and one
 * block at a time.
 * @throws NOT_FOUND if a part is missing; STORE_CORRUPTED
 */
export function* snapshotItems({
  chain,
  decided,
  commit,
}: SnapshotStores): Generator<SnapshotItem, void> {
  const height = commit.version
  yield { kind: 'extension', name: SECTIONS.blocks, format: 1 }
  yield* recordPieces(encodeBlockRecord(executedBlock(chain, 0)))
  for (let number = firstBlock(height); number <= height; number++) {
    yield* recordPieces(encodeBlockRecord(executedBlock(chain, number)))
  }
  if (decided !== undefined) {
    yield { kind: 'extension', name: SECTIONS.decided, format: 1 }
    yield* recordPieces(decidedRecord(decided, commit))
  }
  for (const module of commit.modules()) yield* treeItems(commit, module)
  yield* rowItems(commit)
  yield { kind: 'extension', name: SECTIONS.bytecode, format: 1 }
  for (const { value } of commit.codes()) yield { kind: 'payload', payload: value }
  yield { kind: 'extension', name: SECTIONS.appHash, format: 1 }
  yield { kind: 'payload', payload: commit.appHash }
}

function executedBlock(chain: SnapshotStores['chain'], height: number): ExecutedBlock {
  const block = chain.block(height)
  const receipts = chain.receipts(height)
  if (block === undefined || receipts === undefined) throw missing(`block ${height}`)
  const transactionHashes = receipts.map(({ transactionHash }) => transactionHash)
  return { block, receipts, transactionHashes }
}

function decidedRecord(
  store: ConsensusBlockStore,
  { version, appHash }: CommitSnapshot,
): Uint8Array {
  const decided = store.decided(version)
  const results = store.results(version)
  if (decided === undefined || results === undefined)
    throw missing(`the decision on block ${version}`)
  const stated = store.block(version + 1)?.block.header.appHash ?? store.appHash(version)
  if (stated !== undefined && !equalBytes(stated, appHash)) {
    throw new LockstepError(
      'APP_HASH_MISMATCH',
      `the state commit has app hash ${hexDigits(appHash)} at height ${version}, ` +
        `consensus has ${hexDigits(stated)}`,
    )
  }
  return encodeDecidedRecord({ decided, results })
}

function* treeItems(commit: CommitSnapshot, module: string): Generator<SnapshotItem, void> {
  if (EVM_LABELS.includes(module)) {
    throw new LockstepError(
      'UNSUPPORTED',
      `module ${module} has the same name as the store of EVM rows`,
    )
  }
  yield { kind: 'store', name: module }
  for (const { key, value, version, height } of commit.nodes(module)) {
    yield { kind: 'node', key, value, version, height }
  }
}

/** Yields FlatKV's rows, with ascending physical keys within each database. */
function* rowItems(commit: CommitSnapshot): Generator<SnapshotItem, void> {
  yield { kind: 'store', name: EVM_LABELS[0] as string }
  for (const database of DATABASES) {
    for (const { key, value } of commit.rows(database)) {
      const physical = physicalKey(database, key)
      // The upstream format types a row by its key alone: a key of misc that looks like another type would be
      // misread.
      if (database === 'misc' && flatPosition(physical).database !== 'misc') {
        throw new LockstepError(
          'UNSUPPORTED',
          `row ${hexDigits(key)} of misc has the form of an account's key`,
        )
      }
      yield { kind: 'node', key: physical, value, version: rowHeight(value), height: 0 }
    }
  }
}

function missing(what: string): LockstepError {
  return new LockstepError('NOT_FOUND', `${what} is not stored: there is nothing to export`, {
    hint: 'raise min-retain-blocks, or export a chain that has made a block',
  })
}
