import type { Hex } from '../../../../base/hex.ts'
import type { AccountEdit, BlockChanges, Changes } from '../../../browser/edit/changes.ts'
import { type Change, formatBlockValue } from './change.ts'

type AccountChange = Extract<Change, { address: Hex; kind: 'slot' | 'balance' | 'code' }>

/** Converts changes to the form of the library, grouped by account. */
export function planChanges(changes: readonly Change[]): Changes {
  const accounts = new Map<Hex, AccountEdit>()
  let transaction: NonNullable<Changes['transaction']> = {}
  let block: BlockChanges = {}
  for (const change of changes) {
    switch (change.kind) {
      case 'data':
        transaction = { ...transaction, input: change.data }
        break
      case 'value':
        transaction = { ...transaction, value: change.wei }
        break
      case 'from':
        transaction = { ...transaction, from: change.address }
        break
      case 'gas':
        transaction = { ...transaction, gas: change.gas }
        break
      case 'block':
        block = { ...block, ...blockChange(change) }
        break
      default: {
        const before = accounts.get(change.address) ?? { address: change.address }
        accounts.set(change.address, withAccountChange(before, change))
      }
    }
  }
  return { transaction, accounts: [...accounts.values()], block }
}

function withAccountChange(account: AccountEdit, change: AccountChange): AccountEdit {
  switch (change.kind) {
    case 'slot':
      return { ...account, slots: { ...account.slots, [change.slot]: change.value } }
    case 'balance':
      return { ...account, balance: change.wei }
    case 'code':
      return { ...account, code: change.code }
  }
}

function blockChange({ field, value }: Extract<Change, { kind: 'block' }>): BlockChanges {
  switch (field) {
    case 'number':
      return { number: Number(value) }
    case 'coinbase':
    case 'prevRandao':
      return { [field]: formatBlockValue(field, value) as Hex }
    default:
      return { [field]: value }
  }
}
