import { join } from 'node:path'
import { LockstepError } from '../base/error.ts'
import type { Changeset } from '../state/changeset.ts'
import { BackgroundSteps } from './background-steps.ts'
import { decodeChangeset } from './changeset-codec.ts'
import { type IndexProgress, LmdbChainStore } from './lmdb-chain-store.ts'
import { checkFreeSpace } from './lmdb-env.ts'
import { Member } from './member.ts'
import { encodeRecord, type RecordParts } from './record-codec.ts'
import { checkFloors, openMembers, type SplitMembers } from './split.ts'
import { SplitState } from './split-state.ts'
import type { BlockRecord, Storage } from './storage.ts'
import { Wal } from './wal.ts'

/**
 * Heights the log keeps behind the tables. The state commit reaches the disk on its own schedule
 * (at most 16 heights late) and catches up from here.
 */
const LOG_RETAINED = 128
/** A flush begins when this many keys wait, however few heights they are of. */
const FLUSH_KEYS = 100_000
/** `append` waits for the flush that runs when this many keys wait: memory stays bounded. */
const MAX_PENDING_KEYS = 4 * FLUSH_KEYS
/** The floor is raised in steps, because each is a synced write in every member. */
const PRUNE_STEP = 16

/** Blocks whose hashes the opcode BLOCKHASH gives. */
const HASHES = 256

/** No block is taken with less free disk than this: room for the flush of what was taken before. */
const DISK_RESERVE = 128 * 1024 * 1024

export type StoreBackend = 'lmdb' | 'pebbledb' | 'rocksdb'

export interface StorageOptions {
  /** The home's `data` directory. */
  readonly dir: string
  /** `ss-backend`; `pebbledb` has no binding for Node and is served by LMDB. */
  readonly backend: StoreBackend
  readonly evmSplit: boolean
  readonly evmSeparateDbs: boolean
  /** Heights of state kept (`ss-keep-recent`); 0 keeps all. */
  readonly keepRecent: number
  /** Newest blocks kept (`min-retain-blocks`), and more where state is kept for longer; 0 keeps all. */
  readonly retainBlocks: number
  /** Heights between two flushes of the tables behind the log. */
  readonly flushInterval: number
  /** Called as the index of logs is built, where a home has blocks that it lacks. */
  readonly onIndexing?: (progress: IndexProgress) => void
}

/** What the start-up log lines say. */
export interface StorageStartup {
  readonly backend: StoreBackend
  readonly servedBy: 'lmdb'
  /** Undefined while the split is off. */
  readonly evm: { readonly dir: string; readonly separateDbs: boolean } | undefined
  /** Heights replayed from the log, both included; undefined when the tables were complete. */
  readonly replayed: { readonly from: number; readonly to: number } | undefined
  /** Lowest height without EVM data, where the split was on before and is now off. */
  readonly evmMissingFrom: number | undefined
}

/**
 * Opens the storage under `options.dir`, and replays what the tables are behind the log.
 * @throws STORE_SPLIT_REFUSED (safety checks 1 to 3), STORE_CORRUPTED, STORE_FULL, UNSUPPORTED for the
 * backend `rocksdb`.
 */
export async function openStorage(options: StorageOptions): Promise<LmdbStorage> {
  if (options.backend === 'rocksdb') {
    throw new LockstepError('UNSUPPORTED', 'ss-backend "rocksdb" is not part of this build', {
      hint: 'set ss-backend = "lmdb"',
    })
  }
  const evmDir = join(options.dir, 'evm_ss')
  const split = await openMembers({
    generalDir: join(options.dir, 'pebbledb'),
    evmDir,
    evmSplit: options.evmSplit,
    evmSeparateDbs: options.evmSeparateDbs,
  })
  const opened: { close(): Promise<void> }[] = [...split.evm, split.general]
  try {
    const wal = new Wal(join(options.dir, 'wal'))
    opened.push(wal)
    const blocks = new Member(join(options.dir, 'chain.db'))
    opened.push(blocks)
    const transactions = new Member(join(options.dir, 'tx_index.db'))
    opened.push(transactions)
    const logs = new Member(join(options.dir, 'log_index.db'))
    opened.push(logs)
    const stored = Math.min(blocks.latest, transactions.latest)
    const storage = new LmdbStorage(options, wal, split, blocks, transactions, logs)
    await storage.chain.indexLogs(stored, options.onIndexing ?? (() => {}))
    return storage
  } catch (thrown) {
    await Promise.all(opened.map((member) => member.close()))
    throw thrown
  }
}

/** The storage on LMDB: the log in front, the members behind. Opened by `openStorage`. */
export class LmdbStorage implements Storage {
  readonly chain: LmdbChainStore
  readonly state: SplitState
  readonly startup: StorageStartup
  readonly #options: StorageOptions
  readonly #wal: Wal
  readonly #logs: Member
  readonly #members: readonly Member[]
  readonly #removal = new BackgroundSteps((thrown) => {
    this.#failure = thrown
  })
  #flushed: number
  #flushing: Promise<void> | undefined
  #failure: unknown

  constructor(
    options: StorageOptions,
    wal: Wal,
    split: SplitMembers,
    blocks: Member,
    transactions: Member,
    logs: Member,
  ) {
    this.#options = options
    this.#wal = wal
    this.#logs = logs
    this.#members = [...split.evm, split.general, blocks, transactions]
    // A crash between raising one member's floor and the next left them apart: finish it.
    for (const member of [...split.evm, split.general]) {
      if (member.latest >= 0) member.raise(wal.floor)
    }
    this.chain = new LmdbChainStore(blocks, transactions, logs)
    this.state = new SplitState(split, this.chain)
    this.#flushed = Math.min(...this.#members.map((member) => member.latest))
    const replayed = this.#replay()
    checkFloors(split)
    this.startup = {
      backend: options.backend,
      servedBy: 'lmdb',
      evm: options.evmSplit
        ? { dir: join(options.dir, 'evm_ss'), separateDbs: options.evmSeparateDbs }
        : undefined,
      replayed,
      evmMissingFrom: this.state.missingFrom,
    }
  }

  async append(record: BlockRecord): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    const next = this.chain.latest + 1
    const { height } = record.changeset
    if (height !== next || record.executed.block.header.number !== next) {
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `record of block ${record.executed.block.header.number} with the changeset of height ` +
          `${height} cannot be appended: the next height is ${next}`,
      )
    }
    this.state.checkKeys(record.changeset)
    checkFreeSpace(this.#options.dir, DISK_RESERVE)
    const { bytes, parts } = encodeRecord(record)
    this.#wal.append(height, bytes)
    this.#apply(parts)
    const pending = this.state.pendingKeys
    if (pending >= FLUSH_KEYS || height - this.#flushed >= this.#options.flushInterval) {
      this.#startFlush()
    }
    if (pending >= MAX_PENDING_KEYS) await this.#flushing
  }

  *changesets(from: number): Generator<Changeset, void> {
    const { latest } = this.chain
    if (from <= latest && (this.#wal.earliest < 0 || from < this.#wal.earliest)) {
      throw new LockstepError(
        'STORE_CORRUPTED',
        `the write-ahead log begins at height ${this.#wal.earliest}, height ${from} was asked for`,
      )
    }
    for (let height = from; height <= latest; height++) {
      yield decodeChangeset(this.#wal.read(height).changeset)
    }
  }

  async close(): Promise<void> {
    try {
      await this.#flushing
      if (this.#failure === undefined) await this.#flush()
    } finally {
      await this.#removal.stop()
      for (const member of [...this.#members, this.#logs, this.#wal]) await member.close()
    }
  }

  #apply(parts: RecordParts): void {
    this.chain.apply(parts)
    this.state.apply(decodeChangeset(parts.changeset))
  }

  /** Brings every member, in memory, to the newest height of any. */
  #replay(): StorageStartup['replayed'] {
    const wal = this.#wal
    const to = Math.max(wal.latest, ...this.#members.map((member) => member.latest))
    const from = this.#flushed + 1
    if (from > to) return undefined
    if (wal.earliest < 0 || wal.earliest > from || wal.latest < to) {
      const behind = this.#members.find((member) => member.latest === this.#flushed)
      throw new LockstepError(
        'STORE_CORRUPTED',
        `database ${behind?.dir} ends at height ${this.#flushed}, the others at ${to}, and the ` +
          `write-ahead log holds heights ${wal.earliest} to ${wal.latest}`,
      )
    }
    for (let height = from; height <= to; height++) this.#apply(wal.read(height))
    return { from, to }
  }

  /** Starts a flush unless one runs. What fails here is thrown by the next `append`. */
  #startFlush(): void {
    if (this.#flushing !== undefined) return
    this.#flushing = this.#flush()
      .catch((thrown) => {
        this.#failure = thrown
      })
      .finally(() => {
        this.#flushing = undefined
      })
  }

  async #flush(): Promise<void> {
    const height = this.chain.latest
    if (height > this.#flushed) {
      await this.state.flush(height)
      await this.chain.flush(height)
      this.state.forget(height)
      this.chain.forget(height)
      this.#flushed = height
      this.#wal.prune(height - LOG_RETAINED + 1)
    }
    this.#pruneState()
    this.#pruneChain()
  }

  /**
   * Raises the floor to the heights kept. It is written to the log first: that one write moves it for
   * both members, whenever they follow.
   */
  #pruneState(): void {
    const { keepRecent } = this.#options
    if (keepRecent === 0) return
    const floor = this.#flushed - keepRecent + 1
    if (floor >= this.state.earliest + PRUNE_STEP) {
      this.#wal.raiseFloor(floor)
      this.state.raise(floor)
    }
    if (this.state.earliest > 0) this.state.prune()
  }

  /**
   * Raises the floor of the blocks, and has what is below it removed beside other work. To run the
   * oldest block whose state is kept takes that block and the hashes of the 256 before it.
   */
  #pruneChain(): void {
    const { chain } = this
    const { retainBlocks } = this.#options
    if (retainBlocks === 0) return
    const replayed = this.state.earliest + 1
    const floor = Math.min(this.#flushed - retainBlocks + 1, replayed - HASHES)
    if (floor >= chain.earliest + PRUNE_STEP) chain.raise(floor)
    if (chain.earliest > 0) this.#removal.start(() => chain.removal())
  }
}
