import { isZero } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import {
  ACCOUNT_ROW,
  CLEARED_ROW,
  STORAGE_ROW,
  type StateDiff,
} from '../../../evm/engine/state-diff.ts'
import { EMPTY_CODE_HASH } from '../../../evm/state/account.ts'
import type { Changeset, KeyWrite } from '../../../evm/state/changeset.ts'
import type { LmdbEnv, LmdbRows } from '../../store/lmdb/lmdb-env.ts'
import { ElementList } from '../hash/element-list.ts'
import { addLattice, LATTICE_BYTES, type LatticeHasher } from '../hash/lattice-hasher.ts'
import type { UndoLog } from '../undo/undo-log.ts'
import { type LatestRow, LatestTable, type LatestUndo } from './latest-table.ts'

/** FlatKV's four databases. Each has its own lattice; the root is over their sum. */
export const DATABASES = ['account', 'code', 'storage', 'misc'] as const

export type DatabaseName = (typeof DATABASES)[number]

const ADDRESS = 20
const CODE_HASH = 32
const STORAGE_KEY = 52
/** Bytes of a row's version byte and height (8 bytes). */
export const STAMP = 9
/** Stamp, balance 32, nonce 8; then the code hash, only if there is code. */
export const PLAIN_ACCOUNT = STAMP + 40
export const CODE_ACCOUNT = PLAIN_ACCOUNT + CODE_HASH

/** Prefixes of physical keys: the module's name, a slash, and FlatKV's type byte (none for `misc`). */
export const KEY_PREFIXES: Readonly<Record<DatabaseName, Uint8Array>> = {
  account: Uint8Array.from(Buffer.from('evm/\x0a', 'latin1')),
  code: Uint8Array.from(Buffer.from('evm/\x07', 'latin1')),
  storage: Uint8Array.from(Buffer.from('evm/\x03', 'latin1')),
  misc: Uint8Array.from(Buffer.from('evm/', 'latin1')),
}

function equalAt(bytes: Uint8Array, start: number, other: Uint8Array): boolean {
  for (let i = 0; i < other.length; i++) if (bytes[start + i] !== other[i]) return false
  return true
}

/** One database: its rows, its lattice, and the elements of the block being staged. */
class FlatDatabase {
  readonly name: DatabaseName
  readonly rows: LatestTable
  readonly added = new ElementList()
  readonly removed = new ElementList()
  lattice: Uint8Array
  staged: Uint8Array
  readonly #prefix: Uint8Array

  constructor(name: DatabaseName, env: LmdbEnv, lattice: Uint8Array | undefined) {
    this.name = name
    this.#prefix = KEY_PREFIXES[name]
    this.rows = new LatestTable(env.table(name))
    this.lattice = lattice ?? new Uint8Array(LATTICE_BYTES)
    this.staged = this.lattice
  }

  /** Replaces the row of `key` and takes both rows into account for the lattice. */
  write(key: Uint8Array, row: Uint8Array | undefined): void {
    this.replace(key, this.rows.at(key), row)
  }

  /** Replaces a row that was looked up. */
  replace(key: Uint8Array, latest: LatestRow, row: Uint8Array | undefined): void {
    const old = latest.value
    if (old !== undefined) this.removed.add(this.#prefix, key, old)
    if (row !== undefined) this.added.add(this.#prefix, key, row)
    if (old !== undefined || row !== undefined) this.rows.stage(latest, row)
  }
}

/** The lattices and rows that a commit changed, as they were before it. */
export interface FlatUndo {
  readonly databases: readonly { readonly lattice: Uint8Array; readonly rows: LatestUndo }[]
  readonly bytecode: LatestUndo
}

/**
 * The EVM's state commit: the latest row of each key, and the LtHash of all rows. Each row carries the height that
 * wrote it, so the root depends on the history, as upstream's does.
 */
export class FlatKv {
  readonly #hasher: LatticeHasher
  readonly #accounts: FlatDatabase
  readonly #codes: FlatDatabase
  readonly #storage: FlatDatabase
  readonly #misc: FlatDatabase
  readonly #databases: readonly FlatDatabase[]
  /** Bytecode by hash, for accounts that take code deployed earlier by its hash. */
  readonly #bytecode: LatestTable
  readonly #lattices: LmdbRows
  readonly #undo: UndoLog

  constructor(env: LmdbEnv, undo: UndoLog, hasher: LatticeHasher) {
    this.#hasher = hasher
    this.#undo = undo
    this.#lattices = undo.table('lattices')
    const open = (name: DatabaseName): FlatDatabase =>
      new FlatDatabase(name, env, this.#lattices.get(Buffer.from(name)))
    this.#accounts = open('account')
    this.#codes = open('code')
    this.#storage = open('storage')
    this.#misc = open('misc')
    this.#databases = [this.#accounts, this.#codes, this.#storage, this.#misc]
    this.#bytecode = new LatestTable(env.table('bytecode'))
  }

  get pendingRows(): number {
    let rows = this.#bytecode.pendingRows
    for (const database of this.#databases) rows += database.rows.pendingRows
    return rows
  }

  /** Root of the committed state, 32 bytes. */
  get root(): Uint8Array {
    return this.#rootOf(({ lattice }) => lattice)
  }

  /** Stages `changeset` and discards what was staged before. @returns the root, 32 bytes. */
  stage({ height, evm, legacy }: Changeset): Uint8Array {
    this.#discard()
    const stamp = new Uint8Array(STAMP)
    new DataView(stamp.buffer).setBigUint64(1, BigInt(height))
    for (const { codeHash, code } of evm.codes) {
      const row = this.#bytecode.at(codeHash)
      if (row.value === undefined) this.#bytecode.stage(row, code)
    }
    this.#stageAccounts(evm.accounts, stamp)
    this.#stageStorage(evm, stamp)
    this.#stageMisc(legacy, stamp)
    for (const database of this.#databases) {
      database.staged = database.lattice.slice()
      this.#hasher.subtract(database.staged, database.removed.bytes)
      this.#hasher.add(database.staged, database.added.bytes)
    }
    return this.#rootOf(({ staged }) => staged)
  }

  /** Returns what reverts the next `commit`. */
  undo(): FlatUndo {
    return {
      databases: this.#databases.map(({ lattice, rows }) => ({ lattice, rows: rows.undo() })),
      bytecode: this.#bytecode.undo(),
    }
  }

  /** Reverts the latest commit, which must not be flushed, and discards what is staged. */
  revert({ databases, bytecode }: FlatUndo): void {
    this.#discard()
    for (const [i, database] of this.#databases.entries()) {
      const before = databases[i] as FlatUndo['databases'][number]
      database.lattice = before.lattice
      database.staged = before.lattice
      database.rows.revert(before.rows)
    }
    this.#bytecode.revert(bytecode)
  }

  commit(): void {
    for (const database of this.#databases) {
      database.lattice = database.staged
      database.rows.commit()
    }
    this.#bytecode.commit()
  }

  /**
   * Writes the committed rows and lattices, and records the rows they replace in the undo log. Call it in a
   * transaction.
   */
  flush(): void {
    for (const { name, rows, lattice } of this.#databases) {
      rows.flush((key, old) => this.#undo.note(name, key, old))
      this.#lattices.put(Buffer.from(name), lattice)
    }
    this.#bytecode.flush((key, old) => this.#undo.note('bytecode', key, old))
  }

  forget(): void {
    for (const { rows } of this.#databases) rows.forget()
    this.#bytecode.forget()
  }

  #rootOf(latticeOf: (database: FlatDatabase) => Uint8Array): Uint8Array {
    const sum = new Uint8Array(LATTICE_BYTES)
    for (const database of this.#databases) addLattice(sum, latticeOf(database))
    return this.#hasher.root(sum)
  }

  #discard(): void {
    for (const database of this.#databases) {
      database.rows.discard()
      database.added.clear()
      database.removed.clear()
      database.staged = database.lattice
    }
    this.#bytecode.discard()
  }

  #stageAccounts(accounts: Uint8Array, stamp: Uint8Array): void {
    // One buffer for all rows of the block, of at most 81 bytes each.
    const rows = new Uint8Array((accounts.length / ACCOUNT_ROW) * CODE_ACCOUNT)
    let length = 0
    for (let start = 0; start < accounts.length; start += ACCOUNT_ROW) {
      const address = accounts.subarray(start, start + ADDRESS)
      const nonce = start + ADDRESS
      const balance = nonce + 8
      const codeHash = balance + 32
      const end = start + ACCOUNT_ROW
      const hasCode =
        !equalAt(accounts, codeHash, EMPTY_CODE_HASH) && !isZero(accounts, codeHash, end)
      const latest = this.#accounts.rows.at(address)
      this.#stageCode(
        address,
        latest.value,
        hasCode ? accounts.subarray(codeHash, end) : undefined,
        stamp,
      )
      if (!hasCode && isZero(accounts, nonce, codeHash)) {
        this.#accounts.replace(address, latest, undefined)
        continue
      }
      const row = rows.subarray(length, length + (hasCode ? CODE_ACCOUNT : PLAIN_ACCOUNT))
      length += row.length
      row.set(stamp)
      row.set(accounts.subarray(balance, codeHash), STAMP)
      row.set(accounts.subarray(nonce, balance), STAMP + 32)
      if (hasCode) row.set(accounts.subarray(codeHash, end), PLAIN_ACCOUNT)
      this.#accounts.replace(address, latest, row)
    }
  }

  /** Stages the code row of an account whose code hash differs from that of its row `old`. */
  #stageCode(
    address: Uint8Array,
    old: Uint8Array | undefined,
    codeHash: Uint8Array | undefined,
    stamp: Uint8Array,
  ): void {
    const oldHash = old?.length === CODE_ACCOUNT ? old.subarray(PLAIN_ACCOUNT) : undefined
    if (codeHash === undefined) {
      if (oldHash !== undefined) this.#codes.write(address, undefined)
      return
    }
    if (oldHash !== undefined && equalAt(oldHash, 0, codeHash)) return
    const code = this.#bytecode.get(codeHash)
    if (code === undefined) {
      throw new LockstepError(
        'STORE_CORRUPTED',
        `account ${formatData(address)} takes code ${formatData(codeHash)}, which no changeset holds`,
      )
    }
    const row = new Uint8Array(STAMP + code.length)
    row.set(stamp)
    row.set(code, STAMP)
    this.#codes.write(address, row)
  }

  #stageStorage({ cleared, storage }: StateDiff, stamp: Uint8Array): void {
    for (let start = 0; start < cleared.length; start += CLEARED_ROW) {
      const address = cleared.subarray(start, start + ADDRESS)
      for (const key of this.#storage.rows.prefixed(address)) this.#storage.write(key, undefined)
    }
    const width = STAMP + 32
    const rows = new Uint8Array((storage.length / STORAGE_ROW) * width)
    for (let start = 0, row = 0; start < storage.length; start += STORAGE_ROW, row += width) {
      const key = storage.subarray(start, start + STORAGE_KEY)
      const end = start + STORAGE_ROW
      if (isZero(storage, start + STORAGE_KEY, end)) {
        this.#storage.write(key, undefined)
        continue
      }
      rows.set(stamp, row)
      rows.set(storage.subarray(start + STORAGE_KEY, end), row + STAMP)
      this.#storage.write(key, rows.subarray(row, row + width))
    }
  }

  #stageMisc(writes: readonly KeyWrite[], stamp: Uint8Array): void {
    for (const { key, value } of writes) {
      if (key.length === 0) throw new LockstepError('INVALID_ARGUMENT', 'store key is empty')
      if (value === undefined) {
        this.#misc.write(key, undefined)
        continue
      }
      const row = new Uint8Array(STAMP + value.length)
      row.set(stamp)
      row.set(value, STAMP)
      this.#misc.write(key, row)
    }
  }
}
