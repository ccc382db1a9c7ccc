import { bytesKey, bytesToBigint, isZero } from '../../../host/base/bytes.ts'
import { encodeRlp, rlpInteger } from '../../../host/base/rlp.ts'
import {
  ACCOUNT_ROW,
  CLEARED_ROW,
  STORAGE_ROW,
  type StateDiff,
} from '../../../host/evm/engine/state-diff.ts'
import {
  ACCOUNT_RECORD,
  type Account,
  decodeAccount,
  encodeAccount,
} from '../../../host/evm/state/account.ts'
import type { StateView } from '../../../host/evm/state/view.ts'
import type { CommitHasher, TrieRow } from '../../../host/storage/commit/hash/commit-hasher.ts'

/** Never written to while another state shares it. */
interface Entry {
  readonly address: Uint8Array
  readonly record: Uint8Array
  readonly storage: ReadonlyMap<string, Slot>
  /** Undefined until it is read. */
  storageRoot: Uint8Array | undefined
}

interface Slot {
  readonly slot: Uint8Array
  readonly value: Uint8Array
}

const NO_STORAGE: ReadonlyMap<string, Slot> = new Map()

/** Returns the hash of one of the 256 blocks before the one being executed. */
export type BlockHashReader = (number: number) => Uint8Array | undefined

/**
 * EVM state in memory with Ethereum's state root, for tests that start from an allocation. Forks share accounts until
 * they change.
 */
export class MerkleState implements StateView {
  readonly #hasher: CommitHasher
  readonly #blockHash: BlockHashReader
  readonly #accounts: Map<string, Entry>
  readonly #codes: Map<string, Uint8Array>

  constructor(hasher: CommitHasher, blockHash: BlockHashReader, parent?: MerkleState) {
    this.#hasher = hasher
    this.#blockHash = blockHash
    this.#accounts = new Map(parent === undefined ? [] : parent.#accounts)
    // Forks share the code map: code is found by its hash, so a fork's additions cannot mislead its parent.
    this.#codes = parent === undefined ? new Map() : parent.#codes
  }

  /** Returns a copy of this state; changes to one do not affect the other. */
  fork(blockHash: BlockHashReader): MerkleState {
    return new MerkleState(this.#hasher, blockHash, this)
  }

  /** Not available: this state has no base. */
  diff(): never {
    throw new Error('a state of tests does not record its changes')
  }

  /** Returns the record, with a 73rd byte of 1 if there is storage (EIP-7610). */
  account(address: Uint8Array): Uint8Array | undefined {
    const entry = this.#accounts.get(bytesKey(address))
    if (entry === undefined || entry.storage.size === 0) return entry?.record
    const record = new Uint8Array(ACCOUNT_RECORD + 1)
    record.set(entry.record)
    record[ACCOUNT_RECORD] = 1
    return record
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    return this.#accounts.get(bytesKey(address))?.storage.get(bytesKey(slot))?.value
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#codes.get(bytesKey(codeHash)) as Uint8Array
  }

  blockHash(number: number): Uint8Array | undefined {
    return this.#blockHash(number)
  }

  /** Returns the decoded account, or undefined if it does not exist. */
  readAccount(address: Uint8Array): Account | undefined {
    const entry = this.#accounts.get(bytesKey(address))
    return entry === undefined ? undefined : decodeAccount(entry.record)
  }

  /** Sets the account and leaves its storage as it is. `undefined` deletes both. */
  writeAccount(address: Uint8Array, account: Account | undefined): void {
    if (account === undefined) this.#accounts.delete(bytesKey(address))
    else this.#setRecord(address, encodeAccount(account))
  }

  addCode(codeHash: Uint8Array, code: Uint8Array): void {
    this.#codes.set(bytesKey(codeHash), code)
  }

  /** Sets slots of an existing account; a value of zero deletes. */
  writeStorage(address: Uint8Array, slots: Iterable<readonly [Uint8Array, Uint8Array]>): void {
    const entry = this.#accounts.get(bytesKey(address))
    if (entry === undefined) return
    const storage = new Map(entry.storage)
    for (const [slot, value] of slots) {
      if (isZero(value)) storage.delete(bytesKey(slot))
      else storage.set(bytesKey(slot), { slot, value })
    }
    this.#accounts.set(bytesKey(address), { ...entry, storage, storageRoot: undefined })
  }

  apply(diff: StateDiff): void {
    for (const { codeHash, code } of diff.codes) this.addCode(codeHash, code)
    for (let at = 0; at < diff.accounts.length; at += ACCOUNT_ROW) {
      const address = diff.accounts.slice(at, at + 20)
      const record = diff.accounts.slice(at + 20, at + ACCOUNT_ROW)
      if (isZero(record)) this.#accounts.delete(bytesKey(address))
      else this.#setRecord(address, record)
    }
    for (let at = 0; at < diff.cleared.length; at += CLEARED_ROW) {
      const key = bytesKey(diff.cleared.subarray(at, at + CLEARED_ROW))
      const entry = this.#accounts.get(key)
      if (entry === undefined) continue
      this.#accounts.set(key, { ...entry, storage: NO_STORAGE, storageRoot: undefined })
    }
    this.#applyStorage(diff.storage)
  }

  /** Returns the root of the secure trie of accounts, 32 bytes. */
  root(): Uint8Array {
    const rows: TrieRow[] = []
    for (const entry of this.#accounts.values()) {
      const { nonce, balance, codeHash } = decodeAccount(entry.record)
      entry.storageRoot ??= this.#storageRoot(entry.storage)
      const account = [rlpInteger(nonce), rlpInteger(balance), entry.storageRoot, codeHash]
      rows.push([entry.address, encodeRlp(account)])
    }
    return this.#hasher.secureTrieRoot(rows)
  }

  /** Yields every account with its slots, in no order. */
  *entries(): Generator<{
    readonly address: Uint8Array
    readonly account: Account
    readonly slots: Iterable<Slot>
  }> {
    for (const { address, record, storage } of this.#accounts.values()) {
      yield { address, account: decodeAccount(record), slots: storage.values() }
    }
  }

  #applyStorage(rows: Uint8Array): void {
    let start = 0
    while (start < rows.length) {
      const address = rows.subarray(start, start + 20)
      const key = bytesKey(address)
      const slots: [Uint8Array, Uint8Array][] = []
      let at = start
      do {
        slots.push([rows.slice(at + 20, at + 52), rows.slice(at + 52, at + STORAGE_ROW)])
        at += STORAGE_ROW
      } while (at < rows.length && bytesKey(rows.subarray(at, at + 20)) === key)
      this.writeStorage(address, slots)
      start = at
    }
  }

  #setRecord(address: Uint8Array, record: Uint8Array): void {
    const key = bytesKey(address)
    const old = this.#accounts.get(key)
    const entry: Entry =
      old === undefined
        ? { address, record, storage: NO_STORAGE, storageRoot: undefined }
        : { ...old, record }
    this.#accounts.set(key, entry)
  }

  #storageRoot(storage: ReadonlyMap<string, Slot>): Uint8Array {
    const rows: TrieRow[] = []
    for (const { slot, value } of storage.values()) {
      rows.push([slot, encodeRlp(rlpInteger(bytesToBigint(value)))])
    }
    return this.#hasher.secureTrieRoot(rows)
  }
}
