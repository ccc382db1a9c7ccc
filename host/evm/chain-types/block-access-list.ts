import { compareBytes } from '../../base/bytes.ts'
import { encodeRlp, type RlpItem, rlpInteger } from '../../base/rlp.ts'

/** A value after the message at `index` of the block: 0 before the transactions, then 1 and on (EIP-7928). */
export interface IndexedChange<Value> {
  readonly index: number
  readonly value: Value
}

/** What the messages of a block accessed and changed of one account. */
export interface AccountAccess {
  readonly address: Uint8Array
  /** Slots of 32 bytes with their values, 32 bytes each. */
  readonly storageChanges: readonly {
    readonly slot: Uint8Array
    readonly changes: readonly IndexedChange<Uint8Array>[]
  }[]
  /** Slots that no message has changed. */
  readonly storageReads: readonly Uint8Array[]
  /** 32 bytes each. */
  readonly balanceChanges: readonly IndexedChange<Uint8Array>[]
  readonly nonceChanges: readonly IndexedChange<bigint>[]
  readonly codeChanges: readonly IndexedChange<Uint8Array>[]
}

/** A block-level access list: accounts and slots ascend, and so do the indices of each list of changes. */
export type BlockAccessList = readonly AccountAccess[]

/** Gas of the block for each account and slot of its list: it limits their number (EIP-7928). */
const ITEM_GAS = 2_000n

/** Returns a word without its leading zeros, as RLP writes integers. */
function trimmed(word: Uint8Array): Uint8Array {
  const first = word.findIndex((byte) => byte !== 0)
  return first === -1 ? word.subarray(word.length) : word.subarray(first)
}

function changeItems<Value>(
  changes: readonly IndexedChange<Value>[],
  toItem: (value: Value) => RlpItem,
): RlpItem {
  return changes.map(({ index, value }) => [rlpInteger(index), toItem(value)])
}

function accountItems(account: AccountAccess): RlpItem {
  return [
    account.address,
    account.storageChanges.map(({ slot, changes }) => [
      trimmed(slot),
      changeItems(changes, trimmed),
    ]),
    account.storageReads.map(trimmed),
    changeItems(account.balanceChanges, trimmed),
    changeItems(account.nonceChanges, rlpInteger),
    changeItems(account.codeChanges, (code) => code),
  ]
}

/** Encodes the list. Its Keccak-256 is the `blockAccessListHash` of the header. */
export function encodeBlockAccessList(list: BlockAccessList): Uint8Array {
  return encodeRlp(list.map(accountItems))
}

/** Returns true if a block with this gas limit may have so many accounts and slots in its list. */
export function fitsGasLimit(list: BlockAccessList, gasLimit: bigint): boolean {
  let items = 0
  for (const { storageChanges, storageReads } of list) {
    items += 1 + storageChanges.length + storageReads.length
  }
  return BigInt(items) <= gasLimit / ITEM_GAS
}

export function byAddress(a: AccountAccess, b: AccountAccess): number {
  return compareBytes(a.address, b.address)
}
