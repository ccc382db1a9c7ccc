import { bytesKey, bytesToBigint } from '../../../base/bytes.ts'
import { decodeRlp, encodeRlp, rlpInteger } from '../../../base/rlp.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import {
  ACCOUNT_ROW,
  CLEARED_ROW,
  STORAGE_ROW,
  type StateDiff,
} from '../../../evm/engine/state-diff.ts'
import { type Account, decodeAccount, NO_ACCOUNT } from '../../../evm/state/account.ts'
import { PatriciaTrie } from './patricia-trie.ts'
import { EMPTY_ROOT, type TrieNodes } from './trie-node.ts'
import { changedRows, rowsFrom } from './trie-walk.ts'

/** A node with the hash that references it. */
export interface NodeRow {
  readonly hash: Uint8Array
  readonly encoded: Uint8Array
}

/** An address or a slot with its hash, which is its key in a trie. */
export interface KeyRow {
  readonly hash: Uint8Array
  readonly preimage: Uint8Array
}

/** An account as its trie stores it, by the hash of its address. */
export interface AccountLeaf {
  readonly key: Uint8Array
  readonly account: Account
  readonly storageRoot: Uint8Array
}

/** A slot as its trie stores it, by its hash; its value has no leading zeros. */
export interface SlotLeaf {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** A slot with the nodes that prove its value. */
export interface SlotProof {
  readonly value: bigint
  readonly proof: readonly Uint8Array[]
}

/** An account and some of its slots, with the nodes that prove them against a state root (EIP-1186). */
export interface AccountProof {
  readonly account: Account
  readonly storageRoot: Uint8Array
  readonly proof: readonly Uint8Array[]
  /** In the order of the request. */
  readonly slots: readonly SlotProof[]
}

/** An account touched since the last root. */
interface Draft {
  readonly address: Uint8Array
  /** Undefined for a deleted account. */
  account: Account | undefined
  storage: PatriciaTrie
}

/** Ethereum's state trie: accounts by the hash of their address, each with a trie of its slots. */
export class StateTrie {
  readonly #stored: TrieNodes
  readonly #keccak256: Keccak256
  readonly #accounts: PatriciaTrie
  readonly #drafts = new Map<string, Draft>()
  readonly #added = new Map<string, NodeRow>()
  readonly #written = new Map<string, KeyRow>()

  constructor(stored: TrieNodes, keccak256: Keccak256, root: Uint8Array) {
    this.#stored = stored
    this.#keccak256 = keccak256
    this.#accounts = this.#trie(root)
  }

  /** Nodes that roots have required since the trie was opened, and that were not stored before. */
  get added(): Iterable<NodeRow> {
    return this.#added.values()
  }

  /** Addresses and slots set since the trie was opened. */
  get written(): Iterable<KeyRow> {
    return this.#written.values()
  }

  apply(diff: StateDiff): void {
    for (let at = 0; at < diff.accounts.length; at += ACCOUNT_ROW) {
      const record = diff.accounts.subarray(at + 20, at + ACCOUNT_ROW)
      const isDeleted = record.every((byte) => byte === 0)
      this.write(diff.accounts.slice(at, at + 20), isDeleted ? undefined : decodeAccount(record))
    }
    for (let at = 0; at < diff.cleared.length; at += CLEARED_ROW) {
      this.#draft(diff.cleared.slice(at, at + CLEARED_ROW)).storage = this.#trie(EMPTY_ROOT)
    }
    this.#applySlots(diff.storage, (isZero) => !isZero)
    this.#applySlots(diff.storage, (isZero) => isZero)
  }

  /** Sets the account and leaves its storage as it is. `undefined` deletes both. */
  write(address: Uint8Array, account: Account | undefined): void {
    const draft = this.#draft(address)
    draft.account = account
    if (account === undefined) draft.storage = this.#trie(EMPTY_ROOT)
  }

  /** Returns true if an account has a non-zero slot. */
  hasStorage(address: Uint8Array): boolean {
    return !this.#draft(address).storage.isEmpty
  }

  /**
   * Returns the state root, 32 bytes. It sets accounts and slots before it deletes others, as geth does: a branch
   * left with one child has to read it, which an added child may avoid.
   */
  root(): Uint8Array {
    const deleted: Uint8Array[] = []
    for (const { address, account, storage } of this.#drafts.values()) {
      // The slots of a missing account are lost with it.
      if (account === undefined) deleted.push(address)
      else this.#accounts.set(this.#keyOf(address), encodeLeaf(account, storage.commit(this.#add)))
    }
    for (const address of deleted) this.#accounts.set(this.#keccak256(address), undefined)
    this.#drafts.clear()
    return this.#accounts.commit(this.#add)
  }

  /** Reads the nodes on the path to an account. */
  read(address: Uint8Array): void {
    this.#accounts.get(this.#keccak256(address))
  }

  /** Reads the nodes on the paths to an account and to one of its slots. */
  readSlot(address: Uint8Array, slot: Uint8Array): void {
    const { storageRoot } = decodeLeaf(this.#accounts.get(this.#keccak256(address)))
    this.#trie(storageRoot).get(this.#keccak256(slot))
  }

  /** Proves an account and some of its slots, or their absence, against the root. */
  prove(address: Uint8Array, slots: readonly Uint8Array[]): AccountProof {
    this.root()
    const key = this.#keccak256(address)
    const { account, storageRoot } = decodeLeaf(this.#accounts.get(key))
    const storage = this.#trie(storageRoot)
    return {
      account: account ?? NO_ACCOUNT,
      storageRoot,
      proof: this.#accounts.prove(key),
      slots: slots.map((slot) => {
        const slotKey = this.#keccak256(slot)
        const value = storage.get(slotKey)
        return {
          value: value === undefined ? 0n : bytesToBigint(decodeRlp(value) as Uint8Array),
          proof: storage.prove(slotKey),
        }
      }),
    }
  }

  /** Returns the storage root of an account, or the empty root if there is no account. */
  storageRoot(address: Uint8Array): Uint8Array {
    this.root()
    return decodeLeaf(this.#accounts.get(this.#keccak256(address))).storageRoot
  }

  /** Yields accounts by the hashes of their addresses, from the first at or after `start`. */
  *accounts(start?: Uint8Array): Generator<AccountLeaf> {
    for (const { key, value } of rowsFrom(this.#nodes, this.root(), start)) {
      yield { key, ...(decodeLeaf(value) as Omit<AccountLeaf, 'key'>) }
    }
  }

  /** Yields slots of an account by their hashes, from the first at or after `start`. */
  *slots(storageRoot: Uint8Array, start?: Uint8Array): Generator<SlotLeaf> {
    for (const { key, value } of rowsFrom(this.#nodes, storageRoot, start)) {
      yield { key, value: decodeRlp(value) as Uint8Array }
    }
  }

  /**
   * Yields the hashes of the addresses whose accounts differ from those under the root `old`, deleted accounts
   * excluded.
   */
  *changedSince(old: Uint8Array): Generator<Uint8Array> {
    for (const { key } of changedRows(this.#nodes, old, this.root())) yield key
  }

  #applySlots(rows: Uint8Array, takes: (isZero: boolean) => boolean): void {
    for (let at = 0; at < rows.length; at += STORAGE_ROW) {
      const value = bytesToBigint(rows.subarray(at + 52, at + STORAGE_ROW))
      if (!takes(value === 0n)) continue
      const { storage } = this.#draft(rows.slice(at, at + 20))
      const slot = rows.slice(at + 20, at + 52)
      if (value === 0n) storage.set(this.#keccak256(slot), undefined)
      else storage.set(this.#keyOf(slot), encodeRlp(rlpInteger(value)))
    }
  }

  /** Returns the key of an address or slot that is set. */
  #keyOf(preimage: Uint8Array): Uint8Array {
    const hash = this.#keccak256(preimage)
    this.#written.set(bytesKey(hash), { hash, preimage })
    return hash
  }

  #trie(root: Uint8Array): PatriciaTrie {
    return new PatriciaTrie(this.#nodes, this.#keccak256, root)
  }

  readonly #nodes: TrieNodes = {
    get: (hash) => this.#added.get(bytesKey(hash))?.encoded ?? this.#stored.get(hash),
  }

  readonly #add = (hash: Uint8Array, encoded: Uint8Array): void => {
    this.#added.set(bytesKey(hash), { hash, encoded })
  }

  #draft(address: Uint8Array): Draft {
    const key = bytesKey(address)
    const known = this.#drafts.get(key)
    if (known !== undefined) return known
    const { account, storageRoot } = decodeLeaf(this.#accounts.get(this.#keccak256(address)))
    const draft: Draft = { address, account, storage: this.#trie(storageRoot) }
    this.#drafts.set(key, draft)
    return draft
  }
}

function encodeLeaf({ nonce, balance, codeHash }: Account, storageRoot: Uint8Array): Uint8Array {
  return encodeRlp([rlpInteger(nonce), rlpInteger(balance), storageRoot, codeHash])
}

function decodeLeaf(row: Uint8Array | undefined): {
  readonly account: Account | undefined
  readonly storageRoot: Uint8Array
} {
  if (row === undefined) return { account: undefined, storageRoot: EMPTY_ROOT }
  const [nonce, balance, storageRoot, codeHash] = decodeRlp(row) as readonly Uint8Array[]
  return {
    account: {
      nonce: bytesToBigint(nonce as Uint8Array),
      balance: bytesToBigint(balance as Uint8Array),
      codeHash: codeHash as Uint8Array,
    },
    storageRoot: storageRoot as Uint8Array,
  }
}
