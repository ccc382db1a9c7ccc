import { bytesKey, bytesToBigint } from '../../base/bytes.ts'
import { decodeRlp, encodeRlp, rlpInteger } from '../../base/rlp.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import { ACCOUNT_ROW, CLEARED_ROW, STORAGE_ROW, type StateDiff } from '../../engine/state-diff.ts'
import { type Account, decodeAccount, NO_ACCOUNT } from '../../state/account.ts'
import { EMPTY_ROOT, PatriciaTrie, type TrieNodes } from './patricia-trie.ts'

/** A node by the hash that names it. */
export interface NodeRow {
  readonly hash: Uint8Array
  readonly encoded: Uint8Array
}

/** A slot with the nodes that prove its value. */
export interface SlotProof {
  readonly value: bigint
  readonly proof: readonly Uint8Array[]
}

/** An account and slots of it with the nodes that prove them against a state root (EIP-1186). */
export interface AccountProof {
  readonly account: Account
  readonly storageRoot: Uint8Array
  readonly proof: readonly Uint8Array[]
  /** In the order asked for. */
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

  constructor(stored: TrieNodes, keccak256: Keccak256, root: Uint8Array) {
    this.#stored = stored
    this.#keccak256 = keccak256
    this.#accounts = this.#trie(root)
  }

  /** Nodes that roots since the beginning have needed and that were not there before. */
  get added(): Iterable<NodeRow> {
    return this.#added.values()
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
    for (let at = 0; at < diff.storage.length; at += STORAGE_ROW) {
      const { storage } = this.#draft(diff.storage.slice(at, at + 20))
      const value = bytesToBigint(diff.storage.subarray(at + 52, at + STORAGE_ROW))
      storage.set(
        this.#keccak256(diff.storage.subarray(at + 20, at + 52)),
        value === 0n ? undefined : encodeRlp(rlpInteger(value)),
      )
    }
  }

  /** Sets the account and keeps its storage; undefined deletes both. */
  write(address: Uint8Array, account: Account | undefined): void {
    const draft = this.#draft(address)
    draft.account = account
    if (account === undefined) draft.storage = this.#trie(EMPTY_ROOT)
  }

  /** True when an account has a slot that is not zero. */
  hasStorage(address: Uint8Array): boolean {
    return !this.#draft(address).storage.isEmpty
  }

  /** The state root, 32 bytes. */
  root(): Uint8Array {
    for (const { address, account, storage } of this.#drafts.values()) {
      // Slots of an account that is not there are lost with it.
      const row = account === undefined ? undefined : encodeLeaf(account, storage.commit(this.#add))
      this.#accounts.set(this.#keccak256(address), row)
    }
    this.#drafts.clear()
    return this.#accounts.commit(this.#add)
  }

  /** Proves an account and slots of it, or that they are not there, against the root. */
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

  #trie(root: Uint8Array): PatriciaTrie {
    const nodes: TrieNodes = {
      get: (hash) => this.#added.get(bytesKey(hash))?.encoded ?? this.#stored.get(hash),
    }
    return new PatriciaTrie(nodes, this.#keccak256, root)
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
