import {
  emitAccount,
  emitSlot,
  hasRoomForState,
  isDrainDue,
  isLooking,
} from '../../trace/trace-buffer'
import { DRAIN, NEXT } from '../signal'
import {
  BALANCE,
  CODE,
  CODE_HASH,
  DESTROYED,
  hasFlag,
  isDead,
  LOOKED,
  LOOKED_BEFORE,
  NONCE,
  requireCode,
  serial,
} from './account'
import { BYTES, LENGTH } from './code'
import { KEY, OWNER, SLOT_LOOKED, SLOT_LOOKED_BEFORE, VALUE } from './slot'

/**
 * Accounts and slots that the opcodes of a transaction look up, for state traces. Each is recorded at its first
 * lookup, and again at the end of the transaction.
 */

/** Code hash of an absent account: zeros. */
const ABSENT: usize = memory.data(32, 8)

/** The latest recorded account and slot, or 0. Each links to the one before. */
let lastAccount: usize = 0
let lastSlot: usize = 0

export function beginLookUps(): void {
  lastAccount = 0
  lastSlot = 0
}

function emitAccountOf(account: usize, isAfter: bool): void {
  const code: usize = usize(load<u64>(account, CODE))
  const isAbsent = isAfter && isDead(account)
  emitAccount(
    isAfter,
    isAfter && hasFlag(account, DESTROYED),
    account,
    load<u64>(account, NONCE),
    account + BALANCE,
    isAbsent ? ABSENT : account + CODE_HASH,
    code + BYTES,
    load<u32>(code, LENGTH),
  )
}

function emitSlotOf(slot: usize, isAfter: bool): void {
  emitSlot(isAfter, load<u32>(slot, OWNER), slot + KEY, slot + VALUE)
}

/** Loads the code needed to record an account. Returns false to pause. */
@inline
export function canLookUp(account: usize): bool {
  return !isLooking || load<u64>(account, LOOKED) == serial || requireCode(account) != 0
}

/** Records an account for which `canLookUp` returned true. */
export function lookUp(account: usize): void {
  if (!isLooking || load<u64>(account, LOOKED) == serial) return
  store<u64>(account, serial, LOOKED)
  store<u32>(account, u32(lastAccount), LOOKED_BEFORE)
  lastAccount = account
  emitAccountOf(account, false)
}

/** Records a slot. */
export function lookUpSlot(slot: usize): void {
  if (!isLooking || load<u64>(slot, SLOT_LOOKED) == serial) return
  store<u64>(slot, serial, SLOT_LOOKED)
  store<u32>(slot, u32(lastSlot), SLOT_LOOKED_BEFORE)
  lastSlot = slot
  emitSlotOf(slot, false)
}

/** Signal of an opcode that has looked something up: the host may have to read the trace buffer first. */
@inline
export function lookedUp(): i32 {
  return isDrainDue() ? DRAIN : NEXT
}

/**
 * Records the current values of everything looked up, latest first. Returns false if the host must read the trace
 * buffer first.
 */
export function report(): bool {
  for (; lastAccount != 0; lastAccount = load<u32>(lastAccount, LOOKED_BEFORE)) {
    if (!hasRoomForState()) return false
    emitAccountOf(lastAccount, true)
  }
  for (; lastSlot != 0; lastSlot = load<u32>(lastSlot, SLOT_LOOKED_BEFORE)) {
    if (!hasRoomForState()) return false
    emitSlotOf(lastSlot, true)
  }
  return true
}
