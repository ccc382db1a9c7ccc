import { isZero } from '../../../base/bytes.ts'
import { formatData, type Hex, parseData } from '../../../base/hex.ts'
import {
  ACCOUNT_ROW,
  CLEARED_ROW,
  STORAGE_ROW,
  type StateDiff,
} from '../../../evm/engine/state-diff.ts'
import { decodeAccount } from '../../../evm/state/account.ts'
import type { StateView } from '../../../evm/state/view.ts'
import type { AccountChange, SlotValue } from './stepper.ts'

type SlotChange = AccountChange['slots'][number]
type State = Pick<StateView, 'account' | 'storage'>

const ZERO: Hex = `0x${'00'.repeat(32)}`

/** Returns the slots of a contract that the transaction touched. */
export type TouchedSlots = (address: Hex) => readonly Pick<SlotValue, 'slot' | 'original'>[]

/** Returns the changes of a diff to a state, by account. */
export function stateChanges(
  diff: StateDiff,
  before: State,
  touched: TouchedSlots,
): AccountChange[] {
  const records = new Map<Hex, Uint8Array | undefined>()
  for (let at = 0; at < diff.accounts.length; at += ACCOUNT_ROW) {
    const record = diff.accounts.slice(at + 20, at + ACCOUNT_ROW)
    const address = formatData(diff.accounts.subarray(at, at + 20))
    records.set(address, isZero(record) ? undefined : record)
  }
  const slots = changedSlots(diff, before, touched)
  const addresses = new Set([...records.keys(), ...slots.keys()])
  return Array.from(addresses, (address) => {
    const old = before.account(parseData(address))
    const was = decodeAccount(old)
    const is = decodeAccount(records.has(address) ? records.get(address) : old)
    return {
      address,
      balance: [was.balance, is.balance],
      nonce: [was.nonce, is.nonce],
      codeHash: [formatData(was.codeHash), formatData(is.codeHash)],
      slots: [...(slots.get(address)?.values() ?? [])],
    }
  })
}

/** Returns changed slots by account and slot. If all storage was cleared, only touched slots are known. */
function changedSlots(diff: StateDiff, before: State, touched: TouchedSlots) {
  const changes = new Map<Hex, Map<Hex, SlotChange>>()
  const of = (address: Hex) => {
    let slots = changes.get(address)
    if (slots === undefined) {
      slots = new Map()
      changes.set(address, slots)
    }
    return slots
  }
  for (let at = 0; at < diff.cleared.length; at += CLEARED_ROW) {
    const address = formatData(diff.cleared.subarray(at, at + CLEARED_ROW))
    for (const { slot, original } of touched(address)) {
      if (original !== ZERO) of(address).set(slot, { slot, before: original, after: ZERO })
    }
  }
  for (let at = 0; at < diff.storage.length; at += STORAGE_ROW) {
    const row = diff.storage.subarray(at, at + STORAGE_ROW)
    const address = formatData(row.subarray(0, 20))
    const slot = formatData(row.subarray(20, 52))
    const slots = of(address)
    const known = slots.get(slot)?.before ?? valueBefore(before, row)
    const after = formatData(row.subarray(52))
    if (known === after) slots.delete(slot)
    else slots.set(slot, { slot, before: known, after })
  }
  return changes
}

/** A new account had no slots, and the state may not have recorded them. */
function valueBefore(before: State, row: Uint8Array): Hex {
  const address = row.slice(0, 20)
  if (before.account(address) === undefined) return ZERO
  const value = before.storage(address, row.slice(20, 52))
  return value === undefined ? ZERO : formatData(value)
}
