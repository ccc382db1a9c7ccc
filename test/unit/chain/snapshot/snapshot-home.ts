import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConsensusBlockStore } from '../../../../host/chain/consensus/embedded/block-store.ts'
import {
  type ExportOptions,
  exportSnapshot,
} from '../../../../host/chain/snapshot/export-snapshot.ts'
import {
  importSnapshot,
  type SnapshotImportOptions,
} from '../../../../host/chain/snapshot/import-snapshot.ts'
import { importTarget } from '../../../../host/chain/snapshot/import-target.ts'
import type { ListedSnapshot } from '../../../../host/chain/snapshot/snapshot-dir.ts'
import { CommitHasher } from '../../../../host/storage/commit/hash/commit-hasher.ts'
import {
  type LmdbCommitter,
  openCommitter,
} from '../../../../host/storage/commit/lmdb-committer.ts'
import type { StoreBackend } from '../../../../host/storage/store/backend-choice.ts'
import type { NodeStorage } from '../../../../host/storage/store/node-storage.ts'
import { openStorage } from '../../../../host/storage/store/open-storage.ts'
import type { StorageOptions } from '../../../../host/storage/store/storage-options.ts'
import { genesis, type RandomChain } from './random-chain.ts'

/** The layout of a home's state store. */
export interface Layout {
  readonly evmSplit: boolean
  readonly evmSeparateDbs: boolean
  readonly backend: StoreBackend
}

export const UNSPLIT: Layout = { evmSplit: false, evmSeparateDbs: true, backend: 'lmdb' }
export const SPLIT: Layout = { evmSplit: true, evmSeparateDbs: false, backend: 'lmdb' }
export const SEPARATE: Layout = { evmSplit: true, evmSeparateDbs: true, backend: 'lmdb' }
export const ROCKSDB: Layout = { ...SEPARATE, backend: 'rocksdb' }

export function makeDir(): string {
  return mkdtempSync(join(tmpdir(), 'lockstep-snapshot-'))
}

export function removeDir(dir: string): void {
  rmSync(dir, { recursive: true, force: true })
}

export function storageOptions(dir: string, layout: Layout): StorageOptions {
  return { dir, keepRecent: 0, retainBlocks: 0, flushInterval: 7, ...layout }
}

/** The stores of a node without the node. */
export class SnapshotHome {
  readonly dir: string
  readonly storage: NodeStorage
  readonly committer: LmdbCommitter
  readonly decided: ConsensusBlockStore

  static async open(
    dir: string,
    layout: Layout,
    module: WebAssembly.Module,
  ): Promise<SnapshotHome> {
    const storage = await openStorage(storageOptions(dir, layout))
    const committer = await openCommitter({ dir: join(dir, 'committer.db'), module })
    return new SnapshotHome(dir, storage, committer)
  }

  private constructor(dir: string, storage: NodeStorage, committer: LmdbCommitter) {
    this.dir = dir
    this.storage = storage
    this.committer = committer
    this.decided = new ConsensusBlockStore(join(dir, 'blockstore.db'))
  }

  /** Adds the next heights of the chain, up to `height`. */
  async grow(chain: RandomChain, height: number): Promise<void> {
    while (this.committer.version < height) {
      const { record, decided } = chain.next(this.committer.appHash)
      if (decided !== undefined) {
        this.decided.propose(decided.block.header.height, decided.encoded)
        this.decided.decide(decided.commit)
        this.decided.saveResults(decided.block.header.height, new Uint8Array(0))
      }
      await this.committer.stage(record.changeset)
      await this.storage.append(record)
      await this.committer.commit()
    }
  }

  export(chunkBytes?: number): Promise<ListedSnapshot> {
    return exportHome(this, chunkBytes)
  }

  /** Exports without decisions, as a node does whose blocks CometBFT decides. */
  exportUndecided(chunkBytes?: number): Promise<ListedSnapshot> {
    return exportHome({ ...this, decided: undefined }, chunkBytes)
  }

  async close(): Promise<void> {
    await this.committer.close()
    await this.storage.close()
    await this.decided.close()
  }
}

/** Makes a chain of `height` in a directory, closes it, and exports its snapshot. */
export async function makeSnapshot(
  dir: string,
  chain: RandomChain,
  height: number,
  module: WebAssembly.Module,
  chunkBytes?: number,
): Promise<ListedSnapshot> {
  const home = await SnapshotHome.open(dir, SEPARATE, module)
  await home.grow(chain, height)
  // Closing writes the latest version to disk.
  await home.committer.close()
  const snapshot = await home.export(chunkBytes)
  await home.storage.close()
  await home.decided.close()
  return snapshot
}

function exportHome(
  { dir, storage, decided }: Pick<ExportOptions, 'decided'> & Pick<SnapshotHome, 'dir' | 'storage'>,
  chunkBytes: number | undefined,
): Promise<ListedSnapshot> {
  return exportSnapshot({
    genesis,
    chain: storage.chain,
    decided,
    stateCommit: join(dir, 'committer.db'),
    folder: join(dir, 'snapshots'),
    ...(chunkBytes !== undefined && { chunkBytes }),
  })
}

/** Returns the options to import a snapshot into the home at `to`. */
export function importOptions(
  dir: string,
  to: string,
  layout: Layout,
  module: WebAssembly.Module,
): SnapshotImportOptions {
  const hasher = new CommitHasher(module)
  return { dir, target: importTarget(to, layout.backend), genesis, hasher, ...layout }
}

export async function importInto(...args: Parameters<typeof importOptions>): Promise<void> {
  await importSnapshot(importOptions(...args))
}
