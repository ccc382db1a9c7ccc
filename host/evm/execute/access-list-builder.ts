import { bytesKey, compareBytes } from '../../base/bytes.ts'
import {
  type AccountAccess,
  type BlockAccessList,
  byAddress,
  type IndexedChange,
} from '../chain-types/block-access-list.ts'
import type { BlockAccesses } from '../engine/block-accesses.ts'

type Changes<Value> = Map<number, Value>

interface AccountEntry {
  readonly address: Uint8Array
  readonly reads: Map<string, Uint8Array>
  readonly writes: Map<string, { readonly slot: Uint8Array; readonly values: Changes<Uint8Array> }>
  readonly balances: Changes<Uint8Array>
  readonly nonces: Changes<bigint>
  readonly codes: Changes<Uint8Array>
}

function inOrder<Value>(changes: Changes<Value>): IndexedChange<Value>[] {
  return [...changes].sort(([a], [b]) => a - b).map(([index, value]) => ({ index, value }))
}

/** The access list of a block that is being closed, and its index after the block's transactions (EIP-7928). */
export interface BlockListing {
  readonly accesses: AccessListBuilder
  readonly index: number
}

/** Collects the access list of one block (EIP-7928) from the runs of its messages. */
export class AccessListBuilder {
  readonly #accounts = new Map<string, AccountEntry>()

  /** Adds what the messages since the engine's last `beginBlock` have done. */
  add({ accounts, slots, changes }: BlockAccesses): void {
    for (const address of accounts) this.#entry(address)
    for (const [address, slot] of slots) this.#entry(address).reads.set(bytesKey(slot), slot)
    for (const change of changes) {
      const entry = this.#entry(change.address)
      const { index } = change
      if (change.kind === 'storage') {
        const key = bytesKey(change.slot)
        const write = entry.writes.get(key) ?? { slot: change.slot, values: new Map() }
        write.values.set(index, change.value)
        entry.writes.set(key, write)
      } else if (change.kind === 'balance') {
        entry.balances.set(index, change.balance)
      } else if (change.kind === 'nonce') {
        entry.nonces.set(index, change.nonce)
      } else {
        entry.codes.set(index, change.code)
      }
    }
  }

  /** Adds a balance that changes outside the engine: a withdrawal. Undefined if the account is only accessed. */
  addBalance(address: Uint8Array, index: number, balance: Uint8Array | undefined): void {
    const { balances } = this.#entry(address)
    if (balance !== undefined) balances.set(index, balance)
  }

  build(): BlockAccessList {
    const list = [...this.#accounts.values()].map(({ address, reads, writes, ...entry }) => {
      const storageChanges = [...writes.values()]
        .sort((a, b) => compareBytes(a.slot, b.slot))
        .map(({ slot, values }) => ({ slot, changes: inOrder(values) }))
      const onlyRead = [...reads].filter(([key]) => !writes.has(key)).map(([, slot]) => slot)
      const account: AccountAccess = {
        address,
        storageChanges,
        storageReads: onlyRead.sort(compareBytes),
        balanceChanges: inOrder(entry.balances),
        nonceChanges: inOrder(entry.nonces),
        codeChanges: inOrder(entry.codes),
      }
      return account
    })
    return list.sort(byAddress)
  }

  #entry(address: Uint8Array): AccountEntry {
    const key = bytesKey(address)
    const known = this.#accounts.get(key)
    if (known !== undefined) return known
    const entry: AccountEntry = {
      address,
      reads: new Map(),
      writes: new Map(),
      balances: new Map(),
      nonces: new Map(),
      codes: new Map(),
    }
    this.#accounts.set(key, entry)
    return entry
  }
}
