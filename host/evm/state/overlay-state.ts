import { bytesKey, concatBytes, isZero } from '../../base/bytes.ts'
import {
  ACCOUNT_ROW,
  CLEARED_ROW,
  type CodeRow,
  STORAGE_ROW,
  type StateDiff,
} from '../engine/state-diff.ts'
import { ACCOUNT_RECORD, type Account, decodeAccount, encodeAccount } from './account.ts'
import type { StateFork } from './state-fork.ts'
import type { StateView } from './view.ts'

/** A slot and its value, 32 bytes each. */
interface SlotValue {
  readonly slot: Uint8Array
  readonly value: Uint8Array
}

interface AccountEntry {
  readonly address: Uint8Array
  /** Undefined for a deleted account. */
  readonly record: Uint8Array | undefined
}

interface StorageEntry {
  readonly address: Uint8Array
  /** True if the base's storage is cleared. */
  isCleared: boolean
  readonly slots: Map<string, SlotValue>
}

const NO_RECORD = new Uint8Array(ACCOUNT_RECORD)
const NO_ROOT = new Uint8Array(32)

/** Changes on top of a state that is not modified. */
export class OverlayState implements StateFork {
  readonly #base: StateView
  readonly #accounts = new Map<string, AccountEntry>()
  readonly #storage = new Map<string, StorageEntry>()
  readonly #codes = new Map<string, CodeRow>()

  constructor(base: StateView) {
    this.#base = base
  }

  account(address: Uint8Array): Uint8Array | undefined {
    const entry = this.#accounts.get(bytesKey(address))
    return entry === undefined ? this.#base.account(address) : entry.record
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    const entry = this.#storage.get(bytesKey(address))
    const written = entry?.slots.get(bytesKey(slot))
    if (written !== undefined) return isZero(written.value) ? undefined : written.value
    return entry?.isCleared === true ? undefined : this.#base.storage(address, slot)
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#codes.get(bytesKey(codeHash))?.code ?? this.#base.code(codeHash)
  }

  blockHash(number: number): Uint8Array | undefined {
    return this.#base.blockHash(number)
  }

  readAccount(address: Uint8Array): Account | undefined {
    const record = this.account(address)
    return record === undefined ? undefined : decodeAccount(record)
  }

  writeAccount(address: Uint8Array, account: Account | undefined): void {
    const record = account === undefined ? undefined : encodeAccount(account)
    this.#accounts.set(bytesKey(address), { address, record })
    if (account === undefined) this.#clearStorage(address)
  }

  apply(diff: StateDiff): void {
    for (const row of diff.codes) this.#codes.set(bytesKey(row.codeHash), row)
    for (let at = 0; at < diff.accounts.length; at += ACCOUNT_ROW) {
      const address = diff.accounts.slice(at, at + 20)
      const record = diff.accounts.slice(at + 20, at + ACCOUNT_ROW)
      const isDeleted = isZero(record)
      this.#accounts.set(bytesKey(address), { address, record: isDeleted ? undefined : record })
      if (isDeleted) this.#clearStorage(address)
    }
    for (let at = 0; at < diff.cleared.length; at += CLEARED_ROW) {
      this.#clearStorage(diff.cleared.slice(at, at + CLEARED_ROW))
    }
    for (let at = 0; at < diff.storage.length; at += STORAGE_ROW) {
      const row = diff.storage.slice(at, at + STORAGE_ROW)
      this.#writeSlot(row.subarray(0, 20), { slot: row.subarray(20, 52), value: row.subarray(52) })
    }
  }

  /** Returns all changes since the base as one block's diff. */
  diff(): StateDiff {
    const accounts: Uint8Array[] = []
    for (const { address, record } of this.#accounts.values()) {
      accounts.push(address, record ?? NO_RECORD)
    }
    const cleared: Uint8Array[] = []
    const storage: Uint8Array[] = []
    for (const { address, isCleared, slots } of this.#storage.values()) {
      if (isCleared) cleared.push(address)
      for (const { slot, value } of slots.values()) storage.push(address, slot, value)
    }
    return {
      accounts: concatBytes(accounts),
      cleared: concatBytes(cleared),
      storage: concatBytes(storage),
      codes: [...this.#codes.values()],
    }
  }

  root(): Uint8Array {
    return NO_ROOT
  }

  #clearStorage(address: Uint8Array): void {
    this.#storage.set(bytesKey(address), { address, isCleared: true, slots: new Map() })
  }

  #writeSlot(address: Uint8Array, row: SlotValue): void {
    const key = bytesKey(address)
    let entry = this.#storage.get(key)
    if (entry === undefined) {
      entry = { address, isCleared: false, slots: new Map() }
      this.#storage.set(key, entry)
    }
    entry.slots.set(bytesKey(row.slot), row)
  }
}
