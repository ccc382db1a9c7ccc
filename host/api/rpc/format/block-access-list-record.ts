import { formatData, formatQuantity } from '../../../base/hex.ts'
import type {
  AccountAccess,
  BlockAccessList,
  IndexedChange,
} from '../../../evm/chain-types/block-access-list.ts'

function changes<Value>(
  list: readonly IndexedChange<Value>[],
  show: (value: Value) => string,
  name = 'value',
): unknown[] {
  return list.map(({ index, value }) => ({ index: formatQuantity(index), [name]: show(value) }))
}

function account(access: AccountAccess): unknown {
  return {
    address: formatData(access.address),
    storageChanges: access.storageChanges.map((slot) => ({
      key: formatData(slot.slot),
      changes: changes(slot.changes, formatData),
    })),
    storageReads: access.storageReads.map(formatData),
    balanceChanges: changes(access.balanceChanges, (wei) =>
      formatQuantity(BigInt(formatData(wei))),
    ),
    nonceChanges: changes(access.nonceChanges, formatQuantity),
    codeChanges: changes(access.codeChanges, formatData, 'code'),
  }
}

/** Returns an access list in the form of execution-apis: all members of all accounts, in the order of the encoding. */
export function blockAccessListRecord(list: BlockAccessList): unknown[] {
  return list.map(account)
}
