import { LockstepError } from '../../base/error.ts'
import type { Changeset } from '../../evm/state/changeset.ts'
import { evmDir, type ServedBy, type StoreBackend, servedBy } from './backend-choice.ts'
import { LmdbChainStore } from './chain/lmdb-chain-store.ts'
import type { BlockRecord } from './codec/block-record.ts'
import { decodeChangeset } from './codec/changeset-codec.ts'
import { decodeRecord, encodeRecord, type RecordParts } from './codec/record-codec.ts'
import type { Failures } from './failures.ts'
import { Flusher } from './flusher.ts'
import { checkFreeSpace } from './lmdb/lmdb-env.ts'
import { StoragePublisher } from './reader/storage-publisher.ts'
import { type ReplayedHeights, replay } from './replay.ts'
import { Retention } from './retention.ts'
import type { EvmGap } from './state/evm-gap.ts'
import { checkPruneHeights } from './state/split.ts'
import { SplitState, type TableFigures } from './state/split-state.ts'
import { checkKeys } from './state/table-rows.ts'
import type { Storage } from './storage.ts'
import type { StorageOptions } from './storage-options.ts'
import type { StorageParts } from './storage-parts.ts'

const MIB = 1024 * 1024

/** A flush begins when this much state waits, however few heights it is of. */
const FLUSH_BYTES = 96 * MIB
/** `append` waits for the flush that runs when this many times as much waits: memory stays bounded. */
const MAX_PENDING = 3
/** No block is taken with less free disk than this: room for the flush of the blocks taken before. */
const DISK_RESERVE = 128 * MIB

/** The facts that the start-up log lines tell. */
export interface StorageStartup {
  readonly backend: StoreBackend
  readonly servedBy: ServedBy
  /** Undefined while the split is off. */
  readonly evm: { readonly dir: string; readonly separateDbs: boolean } | undefined
  /** Undefined when the tables were complete. */
  readonly replayed: ReplayedHeights | undefined
  /** Newest height of the tables, where the write-ahead log has no record; undefined where it has, and in a new home. */
  readonly emptyWalAt: number | undefined
  /** Bytes of a torn write that were cut off the end of the write-ahead log. */
  readonly cutBytes: number
  /** Heights without EVM data, where the split was on before and is now off. */
  readonly evmGap: EvmGap | undefined
}

/** The storage's sizes and backlogs. */
export interface StorageFigures {
  readonly tables: readonly TableFigures[]
  /** Bytes of state that no table holds on disk yet. */
  readonly pendingBytes: number
  /** Heights that no table holds on disk yet. */
  readonly pendingHeights: number
  /** Bytes that wait for compaction. */
  readonly compactionBacklog: number
}

/** The storage: the write-ahead log in front, the tables behind. Opened by `openStorage`. */
export class NodeStorage implements Storage {
  readonly chain: LmdbChainStore
  readonly state: SplitState
  readonly startup: StorageStartup
  /**
   * Has other threads read blocks and states; undefined where they cannot: files of another backend, a chain that goes on from
   * another's state, one whose newest blocks are removed again.
   */
  readonly publisher: StoragePublisher | undefined
  readonly #options: StorageOptions
  readonly #parts: StorageParts
  readonly #failures: Failures
  readonly #retention: Retention
  readonly #flusher: Flusher
  /** Bytes of the records since the last flush began. */
  #waitingBytes = 0
  /** Height of the record that comes next; those before it may still be on their way to the disk. */
  #next: number
  /** Resolves when no record is on its way any more. */
  #arrived: Promise<void> = Promise.resolve()

  constructor(options: StorageOptions, parts: StorageParts, failures: Failures) {
    const { wal, backend, split, blocks, transactions, logs } = parts
    this.#options = options
    this.#parts = parts
    this.#failures = failures
    // A crash between raising one database's prune height and the next left them apart: finish it.
    for (const database of [...split.evm, split.general]) {
      if (database.latest >= 0) database.raise(wal.pruneHeight)
    }
    const chain = new LmdbChainStore(blocks, transactions, logs)
    const state = new SplitState(backend, split, chain, options.base)
    this.chain = chain
    this.state = state
    const isFinal = options.isLate !== true && options.base === undefined
    const { shared } = backend
    this.publisher = isFinal && shared ? new StoragePublisher(chain, state, shared) : undefined
    const flushed = Math.min(state.latest, chain.latest)
    const first = options.base?.height ?? 0
    const replayed = replay(options.dir, parts, Math.max(flushed, first - 1), (height) =>
      this.#apply(this.#record(height)),
    )
    this.#next = Math.max(chain.latest + 1, first)
    checkPruneHeights(split)
    const onFailure = (thrown: unknown): void => failures.add(thrown)
    this.#retention = new Retention(options, wal, state, chain, shared, onFailure)
    const { isLate = false } = options
    this.#flusher = new Flusher(parts, chain, state, flushed, isLate, this.#retention, onFailure)
    this.startup = {
      backend: options.backend,
      servedBy: servedBy(options.backend),
      evm: options.evmSplit
        ? { dir: evmDir(options.dir), separateDbs: options.evmSeparateDbs }
        : undefined,
      replayed,
      emptyWalAt: wal.latest < 0 && flushed > first ? flushed : undefined,
      cutBytes: wal.repaired?.bytes ?? 0,
      evmGap: state.gap,
    }
  }

  async append(record: BlockRecord): Promise<void> {
    const { flushInterval, flushBytes = FLUSH_BYTES } = this.#options
    if (this.state.pendingBytes >= MAX_PENDING * flushBytes) await this.#flusher.wait()
    this.#failures.check()
    const next = this.#next
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
    this.#waitingBytes += bytes.length
    const synced = this.#parts.wal.append(height, bytes)
    this.#next++
    // Nothing is awaited between this and the return: whoever appends tells its own listeners in the turn in which
    // reads see the block, so that no two doors of the node disagree about its height.
    const arrived = synced.then(() => this.#apply(parts))
    this.#arrived = arrived.catch((thrown) => this.#failures.add(thrown))
    await arrived
    const isFull = Math.max(this.state.pendingBytes, this.#waitingBytes) >= flushBytes
    if (isFull || height - this.#flusher.height >= flushInterval) {
      this.#waitingBytes = 0
      this.#flusher.start()
    }
  }

  /** Lowest height that `cut` can go down to. */
  get lowestCut(): number {
    const { wal } = this.#parts
    return Math.max(0, this.state.earliest, this.chain.earliest, wal.earliest)
  }

  /**
   * Removes the newest blocks, and what they changed. What only waits in memory is gone in one turn; what has been
   * flushed is removed from the tables first and from the write-ahead log last, so that after a crash all of it is done
   * again by `StorageRollback`. No block is appended meanwhile.
   * @throws STATE_PRUNED below `lowestCut`, STORE_CORRUPTED, STORE_FULL
   */
  async cut(height: number): Promise<void> {
    this.#failures.check()
    if (height >= this.chain.latest) return
    const { lowestCut } = this
    if (height < lowestCut) {
      throw new LockstepError(
        'STATE_PRUNED',
        `blocks can be removed down to height ${lowestCut}, not to ${height}: earlier ones are not kept whole`,
        { data: { requested: height, earliest: lowestCut } },
      )
    }
    await this.#arrived
    await this.#flusher.wait()
    this.#failures.check()
    this.chain.forgetAbove(height)
    this.state.forgetAbove(height)
    if (this.#flusher.height > height) await this.#cutTables(height)
    await this.#parts.wal.cut(height)
    this.#next = height + 1
  }

  async #cutTables(height: number): Promise<void> {
    await this.#retention.wait()
    await this.state.cut(height)
    await this.#parts.thread.run({ kind: 'cut', dirs: this.chain.dirs, height })
    this.chain.takeCut(height)
    this.#flusher.lower(height)
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
    for (let height = from; height <= latest; height++) {
      yield this.changeset(height)
    }
  }

  /** Lowest height whose changeset the write-ahead log holds; -1 where it is empty. */
  get firstChangeset(): number {
    return this.#parts.wal.earliest
  }

  /** The changeset of a height that the write-ahead log holds. @throws STORE_CORRUPTED */
  changeset(height: number): Changeset {
    return decodeChangeset(this.#record(height).changeset)
  }

  figures(): StorageFigures {
    return {
      tables: this.state.figures(),
      pendingBytes: this.state.pendingBytes,
      pendingHeights: this.chain.latest - this.#flusher.height,
      compactionBacklog: this.#parts.backend.compactionBacklog(),
    }
  }

  /** Resolves when everything is flushed and nothing is left to compact. */
  async settle(): Promise<void> {
    do {
      await this.#arrived
      await this.#flusher.wait()
      this.#flusher.start()
      await this.#flusher.wait()
      this.#failures.check()
    } while (this.#flusher.height < this.chain.latest)
    await this.#parts.backend.settle()
  }

  async close(): Promise<void> {
    const { wal, thread, backend, split, blocks, transactions, logs } = this.#parts
    try {
      await this.#arrived
      await this.#flusher.wait()
      if (!this.#failures.any) await this.#flusher.flush()
    } finally {
      await this.#retention.stop()
      // A compaction that runs is given up; its file is not listed, and goes at the next opening.
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
    // The rows are kept as they lie here: where other threads see them too.
    const changeset = new Uint8Array(new SharedArrayBuffer(parts.changeset.length))
    changeset.set(parts.changeset)
    this.state.apply(decodeChangeset(changeset))
    this.publisher?.publish(parts)
  }
}
