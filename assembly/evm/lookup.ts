import { ACCOUNTS, SLOTS } from '../layout'
import { emitAccount, emitSlot, hasRoomForState, isDrainDue, isLooking } from '../trace/ring'
import {
  ACCOUNT_ENTRY,
  accountsEnd,
  BALANCE,
  CODE,
  CODE_HASH,
  DESTROYED,
  hasFlag,
  LOOKED,
  NONCE,
  requireCode,
  serial,
} from './account'
import { BYTES, LENGTH } from './code'
import { KEY, OWNER, SLOT_ENTRY, SLOT_LOOKED, slotsEnd, VALUE } from './slot'
import { DRAIN, NEXT } from './status'

/**
 * What the opcodes of a transaction look up in the state, for traces of it: each account and slot is
 * recorded once, as it is when it is first looked up, and once more as the transaction leaves it.
 */

function emit(account: usize, isAfter: bool): void {
  const code: usize = usize(load<u64>(account, CODE))
  emitAccount(
    isAfter,
    isAfter && hasFlag(account, DESTROYED),
    account,
    load<u64>(account, NONCE),
    account + BALANCE,
    account + CODE_HASH,
    code + BYTES,
    load<u32>(code, LENGTH),
  )
}

/** Makes ready to record an account, which takes its code; false to pause. */
// @ts-ignore: decorator
@inline
export function canLookUp(account: usize): bool {
  return !isLooking || load<u64>(account, LOOKED) == serial || requireCode(account) != 0
}

/** Records an account for which `canLookUp` held. */
export function lookUp(account: usize): void {
  if (!isLooking || load<u64>(account, LOOKED) == serial) return
  store<u64>(account, serial, LOOKED)
  emit(account, false)
}

/** Records a slot. */
export function lookUpSlot(slot: usize): void {
  if (!isLooking || load<u64>(slot, SLOT_LOOKED) == serial) return
  store<u64>(slot, serial, SLOT_LOOKED)
  emitSlot(false, load<u32>(slot, OWNER), slot + KEY, slot + VALUE)
}

/** What an opcode that has looked something up returns: the ring may want to be read. */
// @ts-ignore: decorator
@inline
export function lookedUp(): i32 {
  return isDrainDue() ? DRAIN : NEXT
}

let accountCursor: usize = 0
let slotCursor: usize = 0

export function beginReport(): void {
  accountCursor = ACCOUNTS
  slotCursor = SLOTS
}

/** Records all that was looked up as it is now; false when the ring must be read first. */
export function report(): bool {
  if (!isLooking) return true
  for (; accountCursor < accountsEnd; accountCursor += ACCOUNT_ENTRY) {
    if (load<u64>(accountCursor, LOOKED) != serial) continue
    if (!hasRoomForState()) return false
    emit(accountCursor, true)
  }
  for (; slotCursor < slotsEnd; slotCursor += SLOT_ENTRY) {
    if (load<u64>(slotCursor, SLOT_LOOKED) != serial) continue
    if (!hasRoomForState()) return false
    emitSlot(true, load<u32>(slotCursor, OWNER), slotCursor + KEY, slotCursor + VALUE)
  }
  return true
}
