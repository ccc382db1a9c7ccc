import { EMPTY_BYTES } from '../base/bytes.ts'
import { LockstepError } from '../base/error.ts'
import { formatData } from '../base/hex.ts'
import { EMPTY_CODE_HASH } from '../state/account.ts'
import type { Changeset } from '../state/changeset.ts'
import { ACCOUNT_ROW, CLEARED_ROW, STORAGE_ROW } from '../state/diff.ts'
import { KeyedTable, type VersionBounds } from './keyed-table.ts'
import type { Member } from './member.ts'
import type { PointStore } from './point-store.ts'
import { VersionedTable } from './versioned-table.ts'

/** The kinds of EVM data, which are the names of the sub-databases. */
export const EVM_KINDS = ['account', 'code', 'storage', 'legacy'] as const

export type EvmKind = (typeof EVM_KINDS)[number]

const ADDRESS = 20
const STORAGE_KEY = 52
/** The one value of a row of `cleared`. */
const CLEARED = Uint8Array.of(1)

/** Packed rows whose value is zero delete their key. */
function isZero(rows: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (rows[i] !== 0) return false
  return true
}

function applyPacked(
  table: VersionedTable,
  height: number,
  rows: Uint8Array,
  width: number,
  keyLength: number,
): void {
  for (let start = 0; start < rows.length; start += width) {
    const value = start + keyLength
    const end = start + width
    table.apply(height, rows, start, value, isZero(rows, value, end) ? value : end)
  }
}

/**
 * EVM data at every kept height, for point reads. The kinds may lie in one environment or in four.
 * Emptying an account's storage is one row of `cleared`: older slots are not touched and read as zero.
 */
export class EvmTables {
  readonly legacy: PointStore
  readonly #legacy: KeyedTable
  readonly #accounts: VersionedTable
  readonly #codes: VersionedTable
  readonly #storage: VersionedTable
  readonly #cleared: VersionedTable
  readonly #tables: readonly VersionedTable[]
  readonly #slot = new Uint8Array(STORAGE_KEY)
  /** False as long as no account was ever cleared, which spares every storage read a lookup. */
  #anyCleared: boolean

  constructor(member: (kind: EvmKind) => Member, bounds: VersionBounds) {
    const table = (kind: EvmKind, name: string): VersionedTable =>
      member(kind).add(new VersionedTable(member(kind).env, name))
    this.#accounts = table('account', 'account')
    this.#codes = table('code', 'code')
    this.#storage = table('storage', 'storage')
    this.#cleared = table('legacy', 'cleared')
    const legacy = table('legacy', 'legacy')
    this.#legacy = new KeyedTable(legacy, 'evm', bounds)
    this.legacy = this.#legacy
    this.#tables = [this.#accounts, this.#codes, this.#storage, this.#cleared, legacy]
    this.#anyCleared = !this.#cleared.isEmpty()
  }

  get tables(): readonly VersionedTable[] {
    return this.#tables
  }

  /** @throws INVALID_ARGUMENT for a legacy key that is too long. */
  check(changeset: Changeset): void {
    for (const { key } of changeset.legacy) this.#legacy.encodeKey(key)
  }

  apply({ height, evm, legacy }: Changeset): void {
    applyPacked(this.#accounts, height, evm.accounts, ACCOUNT_ROW, ADDRESS)
    applyPacked(this.#storage, height, evm.storage, STORAGE_ROW, STORAGE_KEY)
    for (let start = 0; start < evm.cleared.length; start += CLEARED_ROW) {
      this.#cleared.applyRow(height, evm.cleared.subarray(start, start + ADDRESS), CLEARED)
      this.#anyCleared = true
    }
    // Code is found by its hash, so that a second deployment of the same code needs no second row.
    for (const { codeHash, code } of evm.codes) {
      if (code.length > 0 && this.#codes.find(codeHash, height) === undefined) {
        this.#codes.applyRow(height, codeHash, code)
      }
    }
    for (const { key, value } of legacy) this.#legacy.apply(height, key, value)
  }

  account(address: Uint8Array, height: number): Uint8Array | undefined {
    const version = this.#accounts.find(address, height)
    return version === undefined || version.value.length === 0 ? undefined : version.value
  }

  storage(address: Uint8Array, slot: Uint8Array, height: number): Uint8Array | undefined {
    this.#slot.set(address, 0)
    this.#slot.set(slot, ADDRESS)
    const version = this.#storage.find(this.#slot, height)
    if (version === undefined || version.value.length === 0) return undefined
    if (this.#anyCleared) {
      const cleared = this.#cleared.find(address, height)
      if (cleared !== undefined && cleared.height > version.height) return undefined
    }
    return version.value
  }

  /** @throws STORE_CORRUPTED when no block up to `height` wrote code of that hash. */
  code(codeHash: Uint8Array, height: number): Uint8Array {
    const version = this.#codes.find(codeHash, height)
    if (version !== undefined) return version.value
    if (EMPTY_CODE_HASH.every((byte, i) => byte === codeHash[i])) return EMPTY_BYTES
    throw new LockstepError(
      'STORE_CORRUPTED',
      `code of hash ${formatData(codeHash)} is missing at height ${height}`,
    )
  }
}
