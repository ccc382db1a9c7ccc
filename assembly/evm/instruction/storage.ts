import { OUT_OF_GAS, SENTRY, WRITE, WRITE_PROTECTION } from '../../generated/fault'
import {
  COLD_SLOAD,
  SSTORE_RESET,
  SSTORE_SENTRY,
  SSTORE_SET,
  sloadGas,
  sstoreClearRefundGas,
  sstoreReadGas,
  WARM_READ,
} from '../../generated/gas'
import * as op from '../../generated/opcode'
import { BERLIN, CONSTANTINOPLE, ISTANBUL } from '../../generated/revision'
import { setStepValue } from '../../trace/trace-buffer'
import { copyWord, equalWords, isZero } from '../../u256/word'
import { addRefund, IS_STATIC, SELF, top } from '../frame/frame'
import { failWith } from '../machine/ending'
import { gas, pay, setSp, sp } from '../machine/registers'
import { isBerlin, revision } from '../revision'
import { NEXT, PAUSE } from '../signal'
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
  return isZero(slot + ORIGINAL) ? SSTORE_SET : reset
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
    amount += i64((isZero(original) ? SSTORE_SET : reset) - read)
  }
  return amount
}

@inline
function isNetStore(): bool {
  return revision >= ISTANBUL || revision == CONSTANTINOPLE
}

@inline
function storeResetGas(): u64 {
  return revision >= BERLIN ? SSTORE_RESET - COLD_SLOAD : SSTORE_RESET
}

/** Returns the gas of SSTORE of the word at `value` into a warm slot. */
export function storeGas(slot: usize, value: usize): u64 {
  if (isNetStore()) return netStoreGas(slot, value, sstoreReadGas(revision), storeResetGas())
  return isZero(slot + VALUE) && !isZero(value) ? SSTORE_SET : SSTORE_RESET
}

/** Returns the amount that SSTORE adds to the refund. */
function storeRefund(slot: usize, value: usize): i64 {
  if (isNetStore()) return netStoreRefund(slot, value, sstoreReadGas(revision), storeResetGas())
  return !isZero(slot + VALUE) && isZero(value) ? i64(sstoreClearRefundGas(revision)) : 0
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
    if (!isWarmSlot(slot)) cost += COLD_SLOAD
    warmSlot(slot)
  }
  // As in geth, counted even if the gas does not suffice: the frame is then reverted, and its refund with it
  addRefund(storeRefund(slot, value))
  if (!pay(cost)) return failWith(OUT_OF_GAS)
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
