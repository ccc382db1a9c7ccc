import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { Changeset } from '../../../../../host/evm/state/changeset.ts'
import type { BlockRecord } from '../../../../../host/storage/store/codec/block-record.ts'
import { encodeRecord } from '../../../../../host/storage/store/codec/record-codec.ts'
import { RocksBackend } from '../../../../../host/storage/store/rocksdb/rocksdb-backend.ts'
import { loadRocks } from '../../../../../host/storage/store/rocksdb/rocksdb-module.ts'
import { SegmentBackend } from '../../../../../host/storage/store/segment/segment-backend.ts'
import type {
  StateBackend,
  StateDatabase,
} from '../../../../../host/storage/store/state/state-backend.ts'
import { TABLES, type TableName } from '../../../../../host/storage/store/state/table-rows.ts'
import { StoreThread } from '../../../../../host/storage/store/thread/store-thread.ts'
import {
  type WalLocation,
  WriteAheadLog,
} from '../../../../../host/storage/store/wal/write-ahead-log.ts'

/** A kind of database, and how a test starts and damages it. */
export interface BackendKind {
  readonly name: string
  /** Why it cannot run here, or undefined if it can. */
  readonly missing: string | undefined
  /** Names of the files that contain rows. */
  readonly rowFiles: RegExp
  /** The file that leads to all others. */
  readonly root: string
  start(): StartedBackend
}

export interface StartedBackend {
  readonly backend: StateBackend
  /** Also closes what the backend opened for the databases. */
  close(databases: readonly StateDatabase[]): Promise<void>
}

/** A background failure must fail the process, and so the test. */
function onFailure(thrown: unknown): void {
  throw thrown
}

function startSegments(): StartedBackend {
  const thread = new StoreThread()
  let isClosing = false
  const backend = new SegmentBackend(thread, (thrown) => {
    // Closing the thread aborts a compaction.
    if (!isClosing) onFailure(thrown)
  })
  return {
    backend,
    close: async (databases) => {
      isClosing = true
      await thread.close()
      await backend.close()
      for (const database of databases) await database.close()
    },
  }
}

function startRocks(): StartedBackend {
  const backend = RocksBackend.load(onFailure)
  return {
    backend,
    close: async (databases) => {
      await backend.close()
      for (const database of databases) await database.close()
    },
  }
}

function whyRocksIsMissing(): string | undefined {
  try {
    loadRocks()
    return undefined
  } catch (thrown) {
    return (thrown as Error).message
  }
}

export const BACKENDS: readonly BackendKind[] = [
  {
    name: 'lmdb',
    missing: undefined,
    rowFiles: /\.seg$/,
    root: 'data.mdb',
    start: startSegments,
  },
  {
    name: 'rocksdb',
    missing: whyRocksIsMissing(),
    rowFiles: /\.sst$/,
    root: 'CURRENT',
    start: startRocks,
  },
]

export function backendOf(name: string): BackendKind {
  const kind = BACKENDS.find((backend) => backend.name === name)
  if (kind === undefined) throw new RangeError(`no backend ${name}`)
  return kind
}

/** Tables by database with the split on and separate databases; EVM kinds come first. */
export const SPLIT_TABLES: readonly (readonly TableName[])[] = [
  ['account'],
  ['code'],
  ['storage'],
  ['legacy', 'cleared'],
  ['modules'],
]

export async function openSplit(backend: StateBackend, dir: string): Promise<StateDatabase[]> {
  const databases: StateDatabase[] = []
  for (const tables of SPLIT_TABLES) {
    databases.push(await backend.open(join(dir, tables[0] as string), tables))
  }
  return databases
}

export function openWhole(backend: StateBackend, dir: string): Promise<StateDatabase> {
  return backend.open(join(dir, 'whole'), TABLES)
}

/** A fresh write-ahead log below `dir`, with its changesets in memory. */
export class TestWal {
  readonly #wal: WriteAheadLog
  readonly #changesets: Changeset[] = []

  constructor(dir: string) {
    this.#wal = WriteAheadLog.open(mkdtempSync(join(dir, 'wal-')))
  }

  get latest(): number {
    return this.#wal.latest
  }

  append(record: BlockRecord): void {
    const { height } = record.changeset
    // Records are readable at once; nothing here waits for the disk.
    void this.#wal.append(height, encodeRecord(record).bytes)
    this.#changesets[height] = record.changeset
  }

  changeset(height: number): Changeset {
    return this.#changesets[height] as Changeset
  }

  location(height: number): WalLocation {
    return this.#wal.location(height)
  }

  close(): Promise<void> {
    return this.#wal.close()
  }
}
