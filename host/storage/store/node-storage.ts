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
import { type ReplayedHeights, replayWal } from './replay.ts'
import { StorageRetention } from './retention.ts'
import type { EvmGap } from './state/evm-gap.ts'
import { checkPruneHeights } from './state/split.ts'
import { SplitState, type TableFigures } from './state/split-state.ts'
import { checkChangesetKeys } from './state/table-rows.ts'
import type { Storage } from './storage.ts'
import type { StorageOptions } from './storage-options.ts'
import type { StorageParts } from './storage-parts.ts'

const MIB = 1024 * 1024

/** Bytes of pending state that start a flush, whatever the number of heights. */
const FLUSH_BYTES = 96 * MIB
/** `append` waits for the running flush if this many times as much is pending, which bounds memory. */
const MAX_PENDING = 3
/** Minimum free disk to accept a block: room for the flush of earlier blocks. */
const DISK_RESERVE = 128 * MIB

/** Facts for the start-up log lines. */
export interface StorageStartup {
  readonly backend: StoreBackend
  readonly servedBy: ServedBy
  /** Undefined while the split is off. */
  readonly evm: { readonly dir: string; readonly separateDbs: boolean } | undefined
  /** Undefined if the tables were complete. */
  readonly replayed: ReplayedHeights | undefined
  /** Latest height of the tables if the write-ahead log is empty; otherwise, and in a new home, undefined. */
  readonly emptyWalAt: number | undefined
  /** Bytes of a torn write truncated from the end of the write-ahead log. */
  readonly cutBytes: number
  /** Heights without EVM data, if the split was on before and is now off. */
  readonly evmGap: EvmGap | undefined
}

/** The storage's sizes and backlogs. */
export interface StorageFigures {
  readonly tables: readonly TableFigures[]
  /** Bytes of state that no table has on disk yet. */
  readonly pendingBytes: number
  /** Heights that no table has on disk yet. */
  readonly pendingHeights: number
  /** Bytes pending for compaction. */
  readonly compactionBacklog: number
}

/** The storage: a write-ahead log with tables behind it. `openStorage` opens it. */
export class NodeStorage implements Storage {
  readonly chain: LmdbChainStore
  readonly state: SplitState
  readonly startup: StorageStartup
  /**
   * Lets other threads read blocks and states. Undefined if they cannot: with another backend's files, a chain that
   * continues another's state, or one whose latest blocks can be reverted.
   */
  readonly publisher: StoragePublisher | undefined
  readonly #options: StorageOptions
  readonly #parts: StorageParts
  readonly #failures: Failures
  readonly #retention: StorageRetention
  readonly #flusher: Flusher
  /** Bytes of the records since the last flush started. */
  #waitingBytes = 0
  /** Height of the next record; earlier records may still be in flight to the disk. */
  #next: number
  /** Resolves when no record is in flight. */
  #arrived: Promise<void> = Promise.resolve()

  constructor(options: StorageOptions, parts: StorageParts, failures: Failures) {
    const { wal, backend, split, blocks, transactions, logs } = parts
    this.#options = options
    this.#parts = parts
    this.#failures = failures
    // A crash between raising the prune heights of two databases left them different: raise them all.
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
    const replayed = replayWal(options.dir, parts, Math.max(flushed, first - 1), (height) =>
      this.#apply(this.#record(height)),
    )
    this.#next = Math.max(chain.latest + 1, first)
    checkPruneHeights(split)
    const onFailure = (thrown: unknown): void => failures.add(thrown)
    this.#retention = new StorageRetention(options, wal, state, chain, shared, onFailure)
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
    checkChangesetKeys(record.changeset)
    checkFreeSpace(this.#options.dir, DISK_RESERVE)
    const { bytes, parts } = encodeRecord(record)
    this.#waitingBytes += bytes.length
    const synced = this.#parts.wal.append(height, bytes)
    this.#next++
    // Nothing is awaited between this and the return. A caller of `append` notifies its own listeners in the tick in
    // which reads see the block, so that all parts of the node agree on its height.
    const arrived = synced.then(() => this.#apply(parts))
    this.#arrived = arrived.catch((thrown) => this.#failures.add(thrown))
    await arrived
    const isFull = Math.max(this.state.pendingBytes, this.#waitingBytes) >= flushBytes
    if (isFull || height - this.#flusher.height >= flushInterval) {
      this.#waitingBytes = 0
      this.#flusher.start()
    }
  }

  /** Lowest height that `cut` accepts. */
  get lowestCut(): number {
    const { wal } = this.#parts
    return Math.max(0, this.state.earliest, this.chain.earliest, wal.earliest)
  }

  /**
   * Removes the blocks above `height`, and their changes. What is only in memory is removed in one tick. What is
   * flushed is removed from the tables first and from the write-ahead log last, so that `StorageRollback` can repeat
   * all of it after a crash. No block may be appended meanwhile.
   * @throws STATE_PRUNED below `lowestCut`, STORE_CORRUPTED, STORE_FULL
   */
  async cut(height: number): Promise<void> {
    this.#failures.check()
    if (height >= this.chain.latest) return
    const { lowestCut } = this
    if (height < lowestCut) {
      throw new LockstepError(
        'STATE_PRUNED',
        `blocks can be removed down to height ${lowestCut}, not to ${height}: earlier ones are not fully retained`,
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
        `the write-ahead log starts at height ${wal.earliest}, height ${from} was asked for`,
      )
    }
    for (let height = from; height <= latest; height++) {
      yield this.changeset(height)
    }
  }

  /** Lowest height whose changeset is in the write-ahead log; -1 if it is empty. */
  get firstChangeset(): number {
    return this.#parts.wal.earliest
  }

  /** Returns the changeset of a height in the write-ahead log. @throws STORE_CORRUPTED */
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
    await this.#retention.wait()
    await this.#parts.backend.settle()
  }

  /** Rewrites the state so that it takes the least space. No block may be appended meanwhile. */
  async compact(): Promise<void> {
    await this.settle()
    await this.#parts.backend.compact?.()
    this.#failures.check()
  }

  async close(): Promise<void> {
    const { wal, thread, backend, split, blocks, transactions, logs } = this.#parts
    try {
      await this.#arrived
      await this.#flusher.wait()
      if (!this.#failures.any) await this.#flusher.flush()
    } finally {
      await this.#retention.stop()
      // A running compaction is aborted; its file is not listed, so the next opening removes it.
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
    // The rows are retained here, so they go to shared memory, where other threads see them too.
    const changeset = new Uint8Array(new SharedArrayBuffer(parts.changeset.length))
    changeset.set(parts.changeset)
    this.state.apply(decodeChangeset(changeset))
    this.publisher?.publish(parts)
  }
}
