import { join } from 'node:path'
import { LockstepError } from '../base/error.ts'
import type { Changeset } from '../state/changeset.ts'
import {
  checkBackend,
  chooseBackend,
  evmDir,
  generalDir,
  type ServedBy,
  type StoreBackend,
  servedBy,
} from './backend-choice.ts'
import { BackgroundSteps } from './background-steps.ts'
import { type DroppedIndex, openChainDatabases } from './chain/chain-databases.ts'
import { type IndexProgress, LmdbChainStore } from './chain/lmdb-chain-store.ts'
import type { BlockRecord } from './codec/block-record.ts'
import { decodeChangeset } from './codec/changeset-codec.ts'
import { decodeRecord, encodeRecord, type RecordParts } from './codec/record-codec.ts'
import { checkFreeSpace } from './lmdb/lmdb-env.ts'
import type { MarkedEnv } from './lmdb/marked-env.ts'
import { checkEvmReach, checkPruneHeights, openMembers, type SplitMembers } from './state/split.ts'
import { type EvmGap, SplitState, type TableFigures } from './state/split-state.ts'
import type { StateBackend } from './state/state-backend.ts'
import { checkKeys } from './state/table-rows.ts'
import type { Storage } from './storage.ts'
import { StoreThread } from './thread/store-thread.ts'
import { WriteAheadLog } from './wal/write-ahead-log.ts'

const MIB = 1024 * 1024

/**
 * Heights the write-ahead log keeps behind the tables. The state commit reaches the disk on its own schedule
 * (at most 16 heights late) and catches up from here.
 */
const WAL_RETAINED = 128
/** A flush begins when this much state waits, however few heights it is of. */
const FLUSH_BYTES = 96 * MIB
/** `append` waits for the flush that runs when this many times as much waits: memory stays bounded. */
const MAX_PENDING = 3
/** The prune height is raised in steps, because each is a synced write in every database. */
const PRUNE_STEP = 16

/** Blocks whose hashes the opcode BLOCKHASH gives. */
const HASHES = 256

/** No block is taken with less free disk than this: room for the flush of what was taken before. */
const DISK_RESERVE = 128 * MIB

export interface StorageOptions {
  /** The home's `data` directory. */
  readonly dir: string
  /** `ss-backend`. */
  readonly backend: StoreBackend
  readonly evmSplit: boolean
  readonly evmSeparateDbs: boolean
  /** Heights of state kept (`ss-keep-recent`); 0 keeps all. */
  readonly keepRecent: number
  /** Newest blocks kept (`min-retain-blocks`), and more where state is kept for longer; 0 keeps all. */
  readonly retainBlocks: number
  /** Heights between two flushes of the tables behind the write-ahead log. */
  readonly flushInterval: number
  /** Bytes of state after which a flush begins earlier; 96 MiB when absent. */
  readonly flushBytes?: number
  /** Size from which on a file of the write-ahead log gets a successor; 64 MiB when absent. */
  readonly walFileBytes?: number
  /** Called for each index that was dropped because it was damaged, before it is built again. */
  readonly onDroppedIndex?: (dropped: DroppedIndex) => void
  /** Called as an index is built, where a home has blocks that it lacks. */
  readonly onIndexing?: (progress: IndexProgress) => void
}

/** What the start-up log lines say. */
export interface StorageStartup {
  readonly backend: StoreBackend
  readonly servedBy: ServedBy
  /** Undefined while the split is off. */
  readonly evm: { readonly dir: string; readonly separateDbs: boolean } | undefined
  /** Heights replayed from the write-ahead log, both included; undefined when the tables were complete. */
  readonly replayed: { readonly from: number; readonly to: number } | undefined
  /** Bytes of a torn write that were cut off the end of the write-ahead log. */
  readonly cutBytes: number
  /** Where the split was on before and is now off. */
  readonly evmGap: EvmGap | undefined
}

interface Parts {
  readonly wal: WriteAheadLog
  readonly thread: StoreThread
  readonly backend: StateBackend
  readonly split: SplitMembers
  readonly blocks: MarkedEnv
  readonly transactions: MarkedEnv
  readonly logs: MarkedEnv
}

/**
 * Opens the storage under `options.dir`, and replays what the tables are behind the write-ahead log.
 * @throws STORE_SPLIT_REFUSED (safety checks 1 to 3), STORE_BACKEND_CHANGED, STORE_CORRUPTED, STORE_FULL,
 * UNSUPPORTED for the backend `rocksdb` where its package is not installed.
 */
export async function openStorage(options: StorageOptions): Promise<NodeStorage> {
  const { dir, evmSplit, evmSeparateDbs } = options
  const failures = new Failures()
  const thread = new StoreThread()
  checkBackend(dir, options.backend)
  const backend = await chooseBackend(options.backend, thread, (thrown) => failures.add(thrown))
  const opened: { close(): Promise<void> }[] = [thread, backend]
  try {
    const split = await openMembers({
      backend,
      generalDir: generalDir(dir, options.backend),
      evmDir: evmDir(dir),
      evmSplit,
      evmSeparateDbs,
    })
    opened.push(...split.evm, split.general)
    const { walFileBytes } = options
    const wal = WriteAheadLog.open(
      join(dir, 'wal'),
      walFileBytes === undefined ? {} : { fileBytes: walFileBytes },
    )
    opened.push(wal)
    const { blocks, transactions, logs, dropped } = await openChainDatabases(dir)
    opened.push(blocks, transactions, logs)
    for (const index of dropped) options.onDroppedIndex?.(index)
    const stored = blocks.latest
    const parts = { wal, thread, backend, split, blocks, transactions, logs }
    const storage = new NodeStorage(options, parts, failures)
    await storage.chain.index(stored, options.onIndexing ?? (() => {}))
    for (const database of [...split.evm, split.general]) database.removeLeftovers()
    return storage
  } catch (thrown) {
    await Promise.all(opened.map((part) => part.close()))
    throw thrown
  }
}

/** How the storage stands. */
export interface StorageFigures {
  readonly tables: readonly TableFigures[]
  /** Bytes of state that no table holds on disk yet. */
  readonly pendingBytes: number
  /** Heights that no table holds on disk yet. */
  readonly pendingHeights: number
  /** Bytes that wait for compaction. */
  readonly compactionBacklog: number
}

/** What failed beside the chain's own work: the next block hears of it. */
class Failures {
  #first: { readonly thrown: unknown } | undefined

  add(thrown: unknown): void {
    this.#first ??= { thrown }
  }

  get any(): boolean {
    return this.#first !== undefined
  }

  check(): void {
    if (this.#first !== undefined) throw this.#first.thrown
  }
}

/** The storage: the log in front, the tables behind. Opened by `openStorage`. */
export class NodeStorage implements Storage {
  readonly chain: LmdbChainStore
  readonly state: SplitState
  readonly startup: StorageStartup
  readonly #options: StorageOptions
  readonly #parts: Parts
  readonly #failures: Failures
  readonly #removal: BackgroundSteps
  /** Resolves when the newest record is on disk. */
  #synced: Promise<void> = Promise.resolve()
  /** Newest height that every table holds on disk. */
  #flushed: number
  #flushing: Promise<void> | undefined

  constructor(options: StorageOptions, parts: Parts, failures: Failures) {
    const { wal, backend, split, blocks, transactions, logs } = parts
    this.#options = options
    this.#parts = parts
    this.#failures = failures
    this.#removal = new BackgroundSteps((thrown) => failures.add(thrown))
    // A crash between raising one member's prune height and the next left them apart: finish it.
    for (const database of [...split.evm, split.general]) {
      if (database.latest >= 0) database.raise(wal.pruneHeight)
    }
    this.chain = new LmdbChainStore(blocks, transactions, logs)
    this.state = new SplitState(backend, split, this.chain)
    this.#flushed = Math.min(this.state.latest, this.chain.latest)
    const replayed = this.#replay()
    checkPruneHeights(split)
    this.startup = {
      backend: options.backend,
      servedBy: servedBy(options.backend),
      evm: options.evmSplit
        ? { dir: evmDir(options.dir), separateDbs: options.evmSeparateDbs }
        : undefined,
      replayed,
      cutBytes: wal.repaired?.bytes ?? 0,
      evmGap: this.state.gap,
    }
  }

  async append(record: BlockRecord): Promise<void> {
    this.#failures.check()
    const { wal } = this.#parts
    const next = this.chain.latest + 1
    const { height } = record.changeset
    if (height !== next || record.executed.block.header.number !== next) {
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `record of block ${record.executed.block.header.number} with the changeset of height ` +
          `${height} cannot be appended: the next height is ${next}`,
      )
    }
    checkKeys(record.changeset)
    checkFreeSpace(this.#options.dir, DISK_RESERVE)
    const { bytes, parts } = encodeRecord(record)
    const synced = wal.append(height, bytes)
    this.#synced = synced
    this.#apply(parts)
    await synced.catch((thrown) => {
      // The block is in memory alone: nothing may follow it, or be flushed.
      this.#failures.add(thrown)
      throw thrown
    })
    const pending = this.state.pendingBytes
    const { flushInterval, flushBytes = FLUSH_BYTES } = this.#options
    if (pending >= flushBytes || height - this.#flushed >= flushInterval) {
      this.#startFlush()
    }
    if (pending >= MAX_PENDING * flushBytes) await this.#flushing
  }

  *changesets(from: number): Generator<Changeset, void> {
    const { latest } = this.chain
    const { wal } = this.#parts
    if (from <= latest && (wal.earliest < 0 || from < wal.earliest)) {
      throw new LockstepError(
        'STORE_CORRUPTED',
        `the write-ahead log begins at height ${wal.earliest}, height ${from} was asked for`,
      )
    }
    for (let height = from; height <= latest; height++)
      yield decodeChangeset(this.#record(height).changeset)
  }

  figures(): StorageFigures {
    return {
      tables: this.state.figures(),
      pendingBytes: this.state.pendingBytes,
      pendingHeights: this.chain.latest - this.#flushed,
      compactionBacklog: this.#parts.backend.compactionBacklog(),
    }
  }

  /** Resolves when everything is flushed and nothing is left to compact. */
  async settle(): Promise<void> {
    // By the one way that flushes are started: two at a time would forget each other's rows.
    do {
      await this.#flushing
      this.#startFlush()
      await this.#flushing
      this.#failures.check()
    } while (this.#flushed < this.chain.latest)
    await this.#parts.backend.settle()
  }

  async close(): Promise<void> {
    const { wal, thread, backend, split, blocks, transactions, logs } = this.#parts
    try {
      await this.#flushing
      if (!this.#failures.any) await this.#flush()
    } finally {
      await this.#removal.stop()
      // A compaction is given up; its file is not listed, and goes at the next opening.
      await thread.close()
      await backend.close()
      for (const part of [...split.evm, split.general, blocks, transactions, logs, wal]) {
        await part.close()
      }
    }
  }

  #record(height: number): RecordParts {
    return decodeRecord(height, this.#parts.wal.read(height))
  }

  #apply(parts: RecordParts): void {
    this.chain.apply(parts)
    this.state.apply(decodeChangeset(parts.changeset))
  }

  /** Brings every table, in memory, to the newest height of any. */
  #replay(): StorageStartup['replayed'] {
    const { wal, split, blocks } = this.#parts
    const databases = [...split.evm, split.general, blocks]
    const to = Math.max(wal.latest, ...databases.map((database) => database.latest))
    const from = this.#flushed + 1
    if (wal.latest >= 0 && wal.latest < this.#flushed) {
      // No block could follow: the log has no gaps.
      throw new LockstepError(
        'STORE_CORRUPTED',
        `the databases of ${this.#options.dir} end at height ${to}, and the write-ahead log in wal holds ` +
          `heights ${wal.earliest} to ${wal.latest}`,
      )
    }
    if (from > to) return undefined
    if (wal.earliest < 0 || wal.earliest > from || wal.latest < to) {
      checkEvmReach(split, wal)
      const behind = databases.find((database) => database.latest === this.#flushed)
      throw new LockstepError(
        'STORE_CORRUPTED',
        `database ${behind?.dir} ends at height ${this.#flushed}, the others at ${to}, and the ` +
          `write-ahead log holds heights ${wal.earliest} to ${wal.latest}`,
      )
    }
    for (let height = from; height <= to; height++) this.#apply(this.#record(height))
    return { from, to }
  }

  /** Starts a flush unless one runs. What fails here is thrown by the next `append`. */
  #startFlush(): void {
    if (this.#flushing !== undefined) return
    this.#flushing = this.#flush()
      .catch((thrown) => this.#failures.add(thrown))
      .finally(() => {
        this.#flushing = undefined
      })
  }

  async #flush(): Promise<void> {
    const { wal } = this.#parts
    const height = this.chain.latest
    if (height > this.#flushed) {
      // Rows go to the tables once their record is on disk, so that no table is ever ahead of the write-ahead log.
      this.state.seal()
      await this.#synced
      await this.state.flush(wal, height)
      await this.#flushChain(height)
      this.#flushed = height
      wal.prune(height - WAL_RETAINED + 1)
    }
    this.#pruneState()
    this.#pruneChain()
  }

  /** Has the blocks up to `height` written beside the chain's work. */
  async #flushChain(height: number): Promise<void> {
    const { wal, thread, blocks, transactions, logs } = this.#parts
    const from = Math.min(blocks.latest, transactions.latest, logs.latest) + 1
    const records = []
    for (let next = Math.max(from, this.chain.earliest); next <= height; next++) {
      records.push(wal.location(next))
    }
    const dirs = { blocks: blocks.dir, transactions: transactions.dir, logs: logs.dir }
    await thread.run({ kind: 'chain', dirs, first: this.chain.earliest, records })
    this.chain.takeFlushed(height)
  }

  /**
   * Raises the prune height to the heights kept. It is written to the write-ahead log first: that one write moves it for
   * both members, whenever they follow. The rows go as segments are compacted.
   */
  #pruneState(): void {
    const { keepRecent } = this.#options
    if (keepRecent === 0) return
    const pruneHeight = this.#flushed - keepRecent + 1
    if (pruneHeight < this.state.earliest + PRUNE_STEP) return
    this.#parts.wal.raisePruneHeight(pruneHeight)
    this.state.raise(pruneHeight)
  }

  /**
   * Raises the prune height of the blocks, and has what is below it removed beside other work. To run the
   * oldest block whose state is kept takes that block and the hashes of the 256 before it.
   */
  #pruneChain(): void {
    const { chain } = this
    const { retainBlocks } = this.#options
    if (retainBlocks === 0) return
    const replayed = this.state.earliest + 1
    const pruneHeight = Math.min(this.#flushed - retainBlocks + 1, replayed - HASHES)
    if (pruneHeight >= chain.earliest + PRUNE_STEP) chain.raise(pruneHeight)
    if (chain.earliest > 0) this.#removal.start(() => chain.removal())
  }
}
