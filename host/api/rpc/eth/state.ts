import { LockstepError } from '../../../base/error.ts'
import { formatData, formatQuantity, formatQuantityAt } from '../../../base/hex.ts'
import { BALANCE, decodeAccount, nonceIn } from '../../../evm/state/account.ts'
import type { StateView } from '../../../evm/state/view.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import {
  ADDRESS_TYPE,
  asArray,
  asObject,
  type ParamType,
  SLOT_TYPE,
} from '../argument/parameter.ts'
import type { ReadCall } from '../call/rpc-call.ts'
import { readBlockState, stateAt } from '../resolve/block-lookup.ts'

const ZERO_WORD = `0x${'0'.repeat(64)}`

export function getBalance({ context }: ReadCall, address: Uint8Array, block: BlockArgument) {
  return readBlockState(context, block, (view) => {
    const record = view.account(address)
    return record === undefined ? '0x0' : formatQuantityAt(record, BALANCE.start, BALANCE.end)
  })
}

/** `pending` includes the transactions of the pool. */
export function getTransactionCount(
  { context }: ReadCall,
  address: Uint8Array,
  block: BlockArgument,
) {
  if (block.kind === 'pending') return formatQuantity(context.pool.nextNonce(address))
  return formatQuantity(nonceIn(stateAt(context, block).account(address)))
}

export function getCode({ context }: ReadCall, address: Uint8Array, block: BlockArgument) {
  return readBlockState(context, block, (view) => {
    const record = view.account(address)
    return record === undefined ? '0x' : formatData(view.code(decodeAccount(record).codeHash))
  })
}

/** Slots by account. */
type SlotsByAccount = readonly (readonly [address: Uint8Array, slots: readonly Uint8Array[]])[]

/** geth's maximum slots of one call, over all accounts. */
const MAX_SLOTS = 1024

export const SLOTS_BY_ACCOUNT: ParamType<SlotsByAccount> = {
  label: 'slots by address',
  decode: (value) => {
    const accounts = Object.entries(asObject(value, 'an object of slots by address'))
    const decoded = accounts.map(([address, slots]): SlotsByAccount[number] => [
      ADDRESS_TYPE.decode(address),
      asArray(slots, 'an array of storage slots').map(SLOT_TYPE.decode),
    ])
    const count = decoded.reduce((sum, [, slots]) => sum + slots.length, 0)
    if (count === 0) throw new LockstepError('REFUSED_ARGUMENT', 'empty request')
    if (count > MAX_SLOTS) {
      throw new LockstepError('TOO_MANY_SLOTS', `too many slots (max ${MAX_SLOTS})`)
    }
    return decoded
  },
}

/** Returns the values of many slots, in request order. */
export function getStorageValues(
  { context }: ReadCall,
  accounts: SlotsByAccount,
  block: BlockArgument,
): unknown {
  return readBlockState(context, block, (view) =>
    Object.fromEntries(
      accounts.map(([address, slots]) => [
        formatData(address),
        slots.map((slot) => wordAt(view, address, slot)),
      ]),
    ),
  )
}

export function getStorageAt(
  { context }: ReadCall,
  address: Uint8Array,
  slot: Uint8Array,
  block: BlockArgument,
) {
  return readBlockState(context, block, (view) => wordAt(view, address, slot))
}

function wordAt(view: StateView, address: Uint8Array, slot: Uint8Array): string {
  const value = view.storage(address, slot)
  return value === undefined ? ZERO_WORD : formatData(value)
}
