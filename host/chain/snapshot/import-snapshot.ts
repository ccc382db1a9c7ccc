import { mkdirSync } from 'node:fs'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import { CommitImport } from '../../storage/commit/commit-import.ts'
import { CommitSnapshot } from '../../storage/commit/commit-snapshot.ts'
import type { CommitHasher } from '../../storage/commit/hash/commit-hasher.ts'
import { chooseBackend, type StoreBackend } from '../../storage/store/backend-choice.ts'
import { checkFreeSpace } from '../../storage/store/lmdb/lmdb-env.ts'
import { openMembers } from '../../storage/store/state/split.ts'
import { StoreThread } from '../../storage/store/thread/store-thread.ts'
import { ChainCheck } from './chain-check.ts'
import { chunkName, readChunk } from './chunk-file.ts'
import {
  endProgress,
  readProgress,
  type SnapshotImportProgress,
  writeProgress,
} from './import-progress.ts'
import { ImportSink } from './import-sink.ts'
import {
  type ImportTarget,
  removeAll,
  removeStateStore,
  requireEmptyHome,
} from './import-target.ts'
import { loadStateStore } from './load-state.ts'
import { MAX_CHUNK, type SnapshotMetadata } from './metadata.ts'
import { readMetadata } from './snapshot-dir.ts'
import { STREAM_START, StreamReader } from './stream-reader.ts'
import { checkAppHash } from './verify-snapshot.ts'

/** Disk space reserved for everything else. */
const DISK_RESERVE = 128 * 1024 * 1024

export interface SnapshotImportOptions {
  /** Directory of the snapshot. */
  readonly dir: string
  readonly target: ImportTarget
  readonly genesis: Genesis
  /** True if CometBFT will decide the blocks; the embedded engine needs the commit of the latest block. */
  readonly underCometBft?: boolean
  readonly hasher: CommitHasher
  readonly backend: StoreBackend
  readonly evmSplit: boolean
  readonly evmSeparateDbs: boolean
  /** Called when all rows are proven, before the home has a chain. */
  readonly onProven?: (height: number) => Promise<void>
  /** Called with each step and awaited. Its error ends the import. */
  readonly onStep?: (step: ImportStep) => unknown
}

export type ImportStep =
  /** Continues after the chunks of an earlier run. */
  | { readonly kind: 'resumed'; readonly chunks: number }
  /** The data that an earlier run had taken, of this snapshot or another, was removed. */
  | { readonly kind: 'restarted'; readonly height: number }
  | { readonly kind: 'chunk'; readonly chunks: number; readonly of: number }
  | { readonly kind: 'proving' }
  | { readonly kind: 'loading' }
  /** Rows that were hashed, or loaded. */
  | { readonly kind: 'rows'; readonly rows: number }

/**
 * Imports a snapshot into a home without a chain. Writes its chunks into the state commit and the block databases.
 * When all rows on disk hash to the app hash, loads the state store from the state commit.
 *
 * Until the end the home has no chain, and a node refuses to start on it. An interrupted import resumes after its
 * last chunk; only the blocks, a module's tree and the state store are started over.
 * @throws SNAPSHOT_INVALID, HOME_NOT_EMPTY, STORE_FULL, STORE_CORRUPTED
 */
export async function importSnapshot(options: SnapshotImportOptions): Promise<SnapshotMetadata> {
  const { dir, target, genesis, hasher, underCometBft = false } = options
  const metadata = readMetadata(dir)
  const keccak256 = (bytes: Uint8Array): Uint8Array => hasher.keccak256(bytes)
  const check = new ChainCheck(metadata, { genesis, keccak256, underCometBft })
  const begun = await begin(options, metadata)
  if (!begun.isProven) await takeChunks(options, metadata, check, begun)
  await fillStateStore(options)
  await options.onProven?.(metadata.height)
  await endProgress(target.dataDir)
  return metadata
}

/** Returns the stream position from which the import starts or resumes. */
async function begin(
  { dir, target, onStep = () => {} }: SnapshotImportOptions,
  { hash, height }: SnapshotMetadata,
): Promise<SnapshotImportProgress> {
  const { dataDir } = target
  const fresh = { snapshot: hash, height, chunks: 0, position: STREAM_START, isProven: false }
  const earlier = readProgress(dataDir)
  if (earlier?.snapshot === hash && earlier.chunks > 0) {
    onStep({ kind: 'resumed', chunks: earlier.chunks })
    return earlier
  }
  if (earlier === undefined) requireEmptyHome(target, dir)
  else onStep({ kind: 'restarted', height: earlier.height })
  // Before creating anything that could look like a chain.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  await writeProgress(dataDir, fresh)
  removeAll(target)
  return fresh
}

async function takeChunks(
  options: SnapshotImportOptions,
  metadata: SnapshotMetadata,
  check: ChainCheck,
  begun: SnapshotImportProgress,
): Promise<void> {
  const { dir, target, hasher, underCometBft = false, onStep = () => {} } = options
  const commit = new CommitImport(target.stateCommit, hasher)
  const sink = new ImportSink({ target, metadata, check, commit, hasher, underCometBft })
  try {
    const reader = new StreamReader(sink, metadata.height, begun.position)
    for (const [index, chunk] of metadata.chunks.entries()) {
      if (index < begun.chunks) continue
      checkFreeSpace(target.dataDir, DISK_RESERVE + 4 * MAX_CHUNK)
      const content = await readChunk(dir, index, chunk)
      commit.write(() => reader.read(content, chunkName(index)))
      await sink.flush()
      const { position } = reader
      if (position !== undefined) {
        await writeProgress(target.dataDir, { ...begun, chunks: index + 1, position })
      }
      await onStep({ kind: 'chunk', chunks: index + 1, of: metadata.chunks.length })
    }
    reader.finish()
    onStep({ kind: 'proving' })
    const proof = await commit.prove((rows) => onStep({ kind: 'rows', rows }))
    checkAppHash(metadata, undefined, proof.appHash)
    commit.finish(metadata.height, proof)
  } finally {
    await sink.close()
    await commit.close()
  }
  const chunks = metadata.chunks.length
  await writeProgress(target.dataDir, { ...begun, chunks, isProven: true })
}

async function fillStateStore(options: SnapshotImportOptions): Promise<void> {
  const { target, backend, evmSplit, evmSeparateDbs, onStep = () => {} } = options
  onStep({ kind: 'loading' })
  removeStateStore(target)
  const thread = new StoreThread()
  let failure: { readonly thrown: unknown } | undefined
  const opened: { close(): Promise<void> }[] = [thread]
  try {
    const kind = await chooseBackend(backend, thread, (thrown) => {
      failure ??= { thrown }
    })
    opened.push(kind)
    const members = await openMembers({
      backend: kind,
      generalDir: target.general,
      evmDir: target.evm,
      evmSplit,
      evmSeparateDbs,
    })
    opened.push(...members.evm, members.general)
    const commit = CommitSnapshot.open(target.stateCommit)
    opened.push(commit)
    await loadStateStore(commit, members, (rows) => onStep({ kind: 'rows', rows }))
    await kind.settle()
  } finally {
    for (const part of opened) await part.close()
  }
  if (failure !== undefined) throw failure.thrown
}
