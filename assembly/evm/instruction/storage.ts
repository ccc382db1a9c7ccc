import { OUT_OF_GAS, SENTRY, WRITE, WRITE_PROTECTION } from '../../generated/fault'
import {
  COLD_SLOAD,
  SSTORE_SENTRY,
  STATE_SLOT,
  sloadGas,
  sstoreClearRefundGas,
  sstoreColdGas,
  sstoreReadGas,
  sstoreResetGas,
  sstoreSetGas,
  WARM_READ,
} from '../../generated/gas'
import * as op from '../../generated/opcode'
import { AMSTERDAM, BERLIN, CONSTANTINOPLE, ISTANBUL } from '../../generated/revision'
import { setStepCost, setStepValue } from '../../trace/trace-buffer'
import { copyWord, equalWords, isZero } from '../../u256/word'
import { addRefund, BUDGET, IS_STATIC, SELF, top } from '../frame/frame'
import { failWith } from '../machine/ending'
import { gas, pay, setGas, setSp, sp } from '../machine/registers'
import { giveBackState, takeState } from '../machine/state-gas'
import { isBerlin, revision } from '../revision'
import { NEXT, PAUSE } from '../signal'
import { noteSlotAccess } from '../state/access-list'
import { lookedUp, lookUpSlot } from '../state/lookup'
import { isWarmSlot, ORIGINAL, requireSlot, setValue, VALUE, warmSlot } from '../state/slot'
import { loadTransient, storeTransient } from '../state/transient'

export function sload(): i32 {
  const slot = requireSlot(load<u32>(top, SELF), sp)
  if (slot == 0) return PAUSE
  setStepValue(slot + VALUE)
  let cost = sloadGas(revision)
  if (isBerlin()) {
    cost = isWarmSlot(slot) ? WARM_READ : COLD_SLOAD
    warmSlot(slot)
  }
  if (!pay(cost)) return failWith(OUT_OF_GAS)
  noteSlotAccess(slot)
  copyWord(sp, slot + VALUE)
  lookUpSlot(slot)
  return lookedUp()
}

/**
 * Returns the gas of SSTORE by EIP-2200 with the prices of EIP-2929. Constantinople's EIP-1283 uses the same net
 * rule.
 */
function netStoreGas(slot: usize, value: usize, read: u64, reset: u64): u64 {
  if (equalWords(slot + VALUE, value)) return read
  if (!equalWords(slot + ORIGINAL, slot + VALUE)) return read
  return isZero(slot + ORIGINAL) ? sstoreSetGas(revision) : reset
}

/** Returns the refund of SSTORE by EIP-1283, EIP-2200 and EIP-3529. */
function netStoreRefund(slot: usize, value: usize, read: u64, reset: u64): i64 {
  if (equalWords(slot + VALUE, value)) return 0
  const clear = sstoreClearRefundGas(revision)
  const original = slot + ORIGINAL
  let amount: i64 = 0
  if (!isZero(original)) {
    if (isZero(slot + VALUE)) amount -= i64(clear)
    else if (isZero(value)) amount += i64(clear)
  }
  if (!equalWords(original, slot + VALUE) && equalWords(original, value)) {
    amount += i64((isZero(original) ? sstoreSetGas(revision) : reset) - read)
  }
  return amount
}

@inline
function isNetStore(): bool {
  return revision >= ISTANBUL || revision == CONSTANTINOPLE
}

@inline
function storeResetGas(): u64 {
  return revision >= BERLIN ? sstoreResetGas(revision) - COLD_SLOAD : sstoreResetGas(revision)
}

/** Returns the gas of SSTORE of the word at `value` into a warm slot. */
export function storeGas(slot: usize, value: usize): u64 {
  if (isNetStore()) return netStoreGas(slot, value, sstoreReadGas(revision), storeResetGas())
  return isZero(slot + VALUE) && !isZero(value) ? sstoreSetGas(revision) : sstoreResetGas(revision)
}

/** Returns the amount that SSTORE adds to the refund. */
function storeRefund(slot: usize, value: usize): i64 {
  if (isNetStore()) return netStoreRefund(slot, value, sstoreReadGas(revision), storeResetGas())
  return !isZero(slot + VALUE) && isZero(value) ? i64(sstoreClearRefundGas(revision)) : 0
}

/** Takes the state gas of a new slot, or gives it back if the slot is zero again (EIP-8037). Returns false if out of gas. */
function settleSlot(slot: usize, value: usize): bool {
  const isNew = isZero(slot + VALUE)
  if (!isZero(slot + ORIGINAL) || isNew == isZero(value)) return true
  const budget = top + BUDGET
  const left = isNew ? takeState(budget, gas, STATE_SLOT) : giveBackState(budget, gas, STATE_SLOT)
  setGas(left)
  return left >= 0
}

export function sstore(): i32 {
  if (load<u32>(top, IS_STATIC) != 0) return failWith(OUT_OF_GAS, WRITE)
  // EIP-2200
  if (revision >= ISTANBUL && gas <= i64(SSTORE_SENTRY)) return failWith(OUT_OF_GAS, SENTRY)
  const slot = requireSlot(load<u32>(top, SELF), sp)
  if (slot == 0) return PAUSE
  const value = sp - 32
  let cost = storeGas(slot, value)
  if (isBerlin()) {
    if (!isWarmSlot(slot)) cost += sstoreColdGas(revision)
    warmSlot(slot)
  }
  // As in geth, counted even if the gas does not suffice: the frame is then reverted, and its refund with it
  addRefund(storeRefund(slot, value))
  // The sentry exceeds the price of the access, so the slot is read in any case
  noteSlotAccess(slot)
  if (!pay(cost)) return failWith(OUT_OF_GAS)
  if (revision >= AMSTERDAM) {
    if (!settleSlot(slot, value)) return failWith(OUT_OF_GAS)
    // As in geth, the cost of a step has no state gas
    setStepCost(cost)
  }
  lookUpSlot(slot)
  if (!equalWords(slot + VALUE, value)) setValue(slot, value)
  setSp(sp - 64)
  return lookedUp()
}

export function tload(): i32 {
  if (!pay(op.TLOAD_GAS)) return failWith(OUT_OF_GAS)
  loadTransient(sp, load<u32>(top, SELF), sp)
  return NEXT
}

export function tstore(): i32 {
  if (!pay(op.TSTORE_GAS)) return failWith(OUT_OF_GAS)
  if (load<u32>(top, IS_STATIC) != 0) return failWith(WRITE_PROTECTION)
  storeTransient(load<u32>(top, SELF), sp, sp - 32)
  setSp(sp - 64)
  return NEXT
}
