import { LockstepError } from '../../base/error.ts'
import { formatData } from '../../base/hex.ts'
import { type OnHashedRows, REPORT_ROWS } from '../../storage/commit/commit-import.ts'
import type { CommitSnapshot } from '../../storage/commit/commit-snapshot.ts'
import { accountRecord, rowCodeHash, rowValue } from '../../storage/commit/flatkv/flat-row.ts'
import { encodeOrderedKey } from '../../storage/store/codec/ordered-key.ts'
import { EVM_MARKER } from '../../storage/store/state/evm-gap.ts'
import type { SplitMembers } from '../../storage/store/state/split.ts'
import type { StateDatabase } from '../../storage/store/state/state-backend.ts'
import { encodeLive, type TableName, type TableRow } from '../../storage/store/state/table-rows.ts'
import { invalidSnapshot } from './snapshot-format.ts'

const TEXT_ENCODER = new TextEncoder()
const EVM_MODULE = TEXT_ENCODER.encode('evm')

/**
 * Loads the state store from the state commit: all rows at its version. EVM data goes into the EVM member if there is
 * one, modules into the general one. The members must be empty.
 * @param onRows called with the number of rows loaded, and awaited; its error ends the work
 * @throws SNAPSHOT_INVALID if an account's code is missing; STORE_FULL, STORE_CORRUPTED
 */
export async function loadStateStore(
  commit: CommitSnapshot,
  members: SplitMembers,
  onRows: OnHashedRows = () => {},
): Promise<void> {
  const { version: height } = commit
  const all = [...members.evm, members.general]
  const counted = new CountedRows(onRows)
  await loadEvm(commit, all, counted)
  await loadTable(all, 'modules', height, moduleRows(commit), counted)
  // The general member comes last, as in a flush: it makes the home's history valid.
  for (const database of members.evm) database.markLoaded(height, [])
  members.general.markLoaded(height, members.evm.length === 0 ? [EVM_MARKER] : [])
}

/** Loads only the EVM data, at the state commit's version, on top of the databases' contents. */
export async function loadEvmState(
  commit: CommitSnapshot,
  databases: readonly StateDatabase[],
): Promise<void> {
  await loadEvm(commit, databases, new CountedRows(() => {}))
}

async function loadEvm(
  commit: CommitSnapshot,
  databases: readonly StateDatabase[],
  counted: CountedRows,
): Promise<void> {
  const { version: height } = commit
  await loadTable(databases, 'account', height, accountRows(commit), counted)
  await loadTable(databases, 'storage', height, valueRows(commit), counted)
  await loadTable(databases, 'code', height, commit.codes(), counted)
  await loadTable(databases, 'legacy', height, legacyRows(commit), counted)
}

/** Reports the number of loaded rows at intervals. */
class CountedRows {
  readonly #onRows: OnHashedRows
  #rows = 0

  constructor(onRows: OnHashedRows) {
    this.#onRows = onRows
  }

  /** Counts a row. Returns a value to await before the next row, or undefined for most. */
  add(): unknown {
    return ++this.#rows % REPORT_ROWS === 0 ? this.#onRows(this.#rows) : undefined
  }
}

async function loadTable(
  databases: readonly StateDatabase[],
  table: TableName,
  height: number,
  rows: Iterable<TableRow>,
  counted: CountedRows,
): Promise<void> {
  const database = databases.find(({ tables }) => tables.includes(table))
  if (database === undefined) throw new LockstepError('STORE_CORRUPTED', `no database has ${table}`)
  const loader = database.loader(table, height)
  for (const row of rows) {
    loader.add(row)
    const told = counted.add()
    if (told !== undefined) await told
  }
  await loader.finish()
}

function* accountRows(commit: CommitSnapshot): Generator<TableRow, void> {
  for (const { key, value } of commit.rows('account')) {
    const codeHash = rowCodeHash(value)
    if (codeHash !== undefined && !commit.holdsCode(codeHash)) {
      throw invalidSnapshot(
        `account ${formatData(key)} has code ${formatData(codeHash)}, which is missing`,
      )
    }
    yield { key, value: accountRecord(value) }
  }
}

function* valueRows(commit: CommitSnapshot): Generator<TableRow, void> {
  for (const { key, value } of commit.rows('storage')) yield { key, value: rowValue(value) }
}

function* legacyRows(commit: CommitSnapshot): Generator<TableRow, void> {
  for (const { key, value } of commit.rows('misc')) {
    yield { key: encodeOrderedKey(EVM_MODULE, key), value: encodeLive(rowValue(value)) }
  }
}

function* moduleRows(commit: CommitSnapshot): Generator<TableRow, void> {
  for (const module of commit.modules()) {
    const name = TEXT_ENCODER.encode(module)
    for (const { key, value } of commit.leaves(module)) {
      yield { key: encodeOrderedKey(name, key), value: encodeLive(value) }
    }
  }
}
