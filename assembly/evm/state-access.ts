import {
  NONE,
  OUT_OF_GAS,
  RETURN_DATA_BOUNDS,
  SENTRY,
  WRITE,
  WRITE_PROTECTION,
} from '../generated/fault'
import { SELFDESTRUCT } from '../generated/frame-kind'
import {
  balanceGas,
  COLD_ACCOUNT,
  COLD_SLOAD,
  COPY_WORD,
  externalCodeGas,
  externalHashGas,
  NEW_ACCOUNT,
  SELFDESTRUCT_REFUND,
  SSTORE_RESET,
  SSTORE_SENTRY,
  SSTORE_SET,
  selfdestructGas,
  sloadGas,
  sstoreClearRefundGas,
  sstoreReadGas,
  WARM_READ,
} from '../generated/gas'
import * as op from '../generated/opcode'
import {
  BERLIN,
  CANCUN,
  CONSTANTINOPLE,
  ISTANBUL,
  LONDON,
  SPURIOUS_DRAGON,
  TANGERINE_WHISTLE,
} from '../generated/revision'
import { NAMED_ADDRESS, RETURN_DATA } from '../layout'
import { emitEnter, emitExit, isTracing, setStepValue } from '../trace/trace-buffer'
import { copyBytes } from '../u256/bytes'
import {
  copyWord,
  equalWords,
  isZero,
  readBytes,
  saturate,
  setWord,
  writeAddress,
} from '../u256/word'
import {
  addBalance,
  BALANCE,
  CODE_HASH,
  CREATED,
  clearBalance,
  DESTROYED,
  hasFlag,
  isDead,
  isEmpty,
  requireAccount,
  requireCode,
  setFlags,
  subtractBalance,
  warmAccount,
} from './account'
import { readBlockHash } from './block'
import { accessGas } from './call'
import { BYTES, LENGTH } from './code'
import {
  addRefund,
  CODE_BYTES,
  CODE_LENGTH,
  depth,
  INPUT,
  INPUT_SIZE,
  IS_STATIC,
  SELF,
  top,
} from './frame'
import { canLookUp, lookedUp, lookUp, lookUpSlot } from './lookup'
import {
  endWith,
  failWith,
  gas,
  growMemory,
  memoryBase,
  rangeAt,
  returnSize,
  setGas,
  setSp,
  sp,
} from './machine'
import { isBerlin, revision } from './revision'
import { isWarmSlot, ORIGINAL, requireSlot, setValue, VALUE, warmSlot } from './slot'
import { NEXT, PAUSE } from './status'
import { loadTransient, storeTransient } from './transient'

@inline
function pay(cost: u64): bool {
  const left = gas - i64(cost)
  setGas(left)
  return left >= 0
}

/**
 * Pays for touching the account that the word on top names; its entry, 0 to pause, 1 when out of
 * gas.
 */
function accessTop(legacyGas: u64): usize {
  writeAddress(NAMED_ADDRESS, sp)
  const account = requireAccount(NAMED_ADDRESS)
  if (account == 0 || !canLookUp(account)) return 0
  if (!pay(isBerlin() ? accessGas(account) : legacyGas)) return 1
  if (isBerlin()) warmAccount(account)
  lookUp(account)
  return account
}

export function balance(): i32 {
  const account = accessTop(balanceGas(revision))
  if (account <= 1) return account == 0 ? PAUSE : failWith(OUT_OF_GAS)
  copyWord(sp, account + BALANCE)
  return lookedUp()
}

/** EXTCODESIZE. */
export function externalCodeSize(): i32 {
  writeAddress(NAMED_ADDRESS, sp)
  const account = requireAccount(NAMED_ADDRESS)
  if (account == 0) return PAUSE
  const code = requireCode(account)
  if (code == 0) return PAUSE
  if (accessTop(externalCodeGas(revision)) == 1) return failWith(OUT_OF_GAS)
  setWord(sp, load<u32>(code, LENGTH))
  return lookedUp()
}

/** EXTCODEHASH (EIP-1052): zero for an account that is not there, or empty. */
export function externalCodeHash(): i32 {
  const account = accessTop(externalHashGas(revision))
  if (account <= 1) return account == 0 ? PAUSE : failWith(OUT_OF_GAS)
  if (isEmpty(account)) setWord(sp, 0)
  else readBytes(sp, account + CODE_HASH)
  return lookedUp()
}

/**
 * Copies `size` bytes from `offset` of a source of `length` bytes into memory, zeros beyond its
 * end.
 */
function copyPadded(target: u64, source: usize, length: u64, offset: u64, size: u64): void {
  const at = memoryBase + usize(target)
  const present = offset >= length ? 0 : min(size, length - offset)
  if (present != 0) copyBytes(at, source + usize(offset), usize(present))
  if (present < size) memory.fill(at + usize(present), 0, usize(size - present))
}

/** Pays for a copy of `size` bytes to `target` beyond the constant gas; false when out of gas. */
function payCopy(target: u64, size: u64): bool {
  const left = growMemory(gas, target, size) - i64(COPY_WORD * ((size + 31) >> 5))
  setGas(left)
  return left >= 0
}

export function externalCodeCopy(): i32 {
  writeAddress(NAMED_ADDRESS, sp)
  const account = requireAccount(NAMED_ADDRESS)
  if (account == 0) return PAUSE
  const code = requireCode(account)
  if (code == 0) return PAUSE
  if (accessTop(externalCodeGas(revision)) == 1) return failWith(OUT_OF_GAS)
  const target = saturate(sp - 32)
  const size = saturate(sp - 96)
  if (!payCopy(target, size)) return failWith(OUT_OF_GAS)
  if (size != 0) copyPadded(target, code + BYTES, load<u32>(code, LENGTH), saturate(sp - 64), size)
  setSp(sp - 128)
  return lookedUp()
}

/** CALLDATACOPY and CODECOPY: from the input, or from the running code. */
export function copySource(isCode: bool): i32 {
  const target = saturate(sp)
  const size = saturate(sp - 64)
  if (!pay(isCode ? op.CODECOPY_GAS : op.CALLDATACOPY_GAS) || !payCopy(target, size))
    return failWith(OUT_OF_GAS)
  if (size != 0) {
    const source: usize = load<u32>(top + (isCode ? CODE_BYTES : INPUT))
    const length = load<u32>(top + (isCode ? CODE_LENGTH : INPUT_SIZE))
    copyPadded(target, source, length, saturate(sp - 32), size)
  }
  setSp(sp - 96)
  return NEXT
}

/** RETURNDATACOPY (EIP-211): reading past the end is a failure. */
export function copyReturnData(): i32 {
  const target = saturate(sp)
  const offset = saturate(sp - 32)
  const size = saturate(sp - 64)
  if (!pay(op.RETURNDATACOPY_GAS) || !payCopy(target, size)) return failWith(OUT_OF_GAS)
  const end = offset + size
  if (end < offset || end > u64(returnSize)) return failWith(RETURN_DATA_BOUNDS)
  copyBytes(rangeAt(target, size), RETURN_DATA + usize(offset), usize(size))
  setSp(sp - 96)
  return NEXT
}

/** MCOPY (EIP-5656). */
export function copyMemory(): i32 {
  const target = saturate(sp)
  const source = saturate(sp - 32)
  const size = saturate(sp - 64)
  if (!pay(op.MCOPY_GAS) || !payCopy(max(target, source), size)) return failWith(OUT_OF_GAS)
  if (size != 0) memory.copy(memoryBase + usize(target), memoryBase + usize(source), usize(size))
  setSp(sp - 96)
  return NEXT
}

export function blockHash(): i32 {
  if (gas < op.BLOCKHASH_GAS) return failWith(OUT_OF_GAS)
  if (!readBlockHash(sp, saturate(sp))) return PAUSE
  setGas(gas - op.BLOCKHASH_GAS)
  return NEXT
}

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
 * Gas of SSTORE by EIP-2200 with the prices of EIP-2929; Constantinople's EIP-1283 is the same net
 * rule.
 */
function netStoreGas(slot: usize, value: usize, read: u64, reset: u64): u64 {
  if (equalWords(slot + VALUE, value)) return read
  if (!equalWords(slot + ORIGINAL, slot + VALUE)) return read
  return isZero(slot + ORIGINAL) ? SSTORE_SET : reset
}

/** Refund of SSTORE by EIP-1283, EIP-2200 and EIP-3529. */
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

/** Gas of SSTORE of the word at `value` into a warm slot. */
export function storeGas(slot: usize, value: usize): u64 {
  if (isNetStore()) return netStoreGas(slot, value, sstoreReadGas(revision), storeResetGas())
  return isZero(slot + VALUE) && !isZero(value) ? SSTORE_SET : SSTORE_RESET
}

/** What SSTORE adds to the refund. */
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
  // As geth has it: also where the gas does not suffice, and the frame with its refund is undone
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

/** RETURN and REVERT. */
export function finish(error: i32): i32 {
  const offset = saturate(sp)
  const size = saturate(sp - 32)
  const left = growMemory(gas, offset, size)
  if (left < 0) return failWith(OUT_OF_GAS)
  setGas(left)
  return endWith(error, rangeAt(offset, size), u32(size))
}

/** SELFDESTRUCT: EIP-150, EIP-161, EIP-2929, EIP-3529, EIP-6780. */
export function selfdestruct(): i32 {
  if (isBerlin() && u64(gas) < selfdestructGas(revision)) return failWith(OUT_OF_GAS)
  if (load<u32>(top, IS_STATIC) != 0) return failWith(OUT_OF_GAS, WRITE)
  const self: usize = load<u32>(top, SELF)
  writeAddress(NAMED_ADDRESS, sp)
  const heir = requireAccount(NAMED_ADDRESS)
  if (heir == 0 || !canLookUp(heir)) return PAUSE
  let cost = selfdestructGas(revision)
  const hasBalance = !isZero(self + BALANCE)
  if (revision >= TANGERINE_WHISTLE && (hasBalance || revision < SPURIOUS_DRAGON) && isDead(heir)) {
    cost += NEW_ACCOUNT
  }
  if (isBerlin()) {
    if (accessGas(heir) != WARM_READ) cost += COLD_ACCOUNT
    warmAccount(heir)
  }
  if (!pay(cost)) return failWith(OUT_OF_GAS)
  lookUp(heir)
  if (isTracing) {
    emitEnter(SELFDESTRUCT, depth + 1, self, heir, self + BALANCE, 0, 0, 0)
    emitExit(depth + 1, 0, NONE, 0, 0, 0)
  }
  if (revision < LONDON && !hasFlag(self, DESTROYED)) addRefund(i64(SELFDESTRUCT_REFUND))
  copyWord(NAMED_ADDRESS, self + BALANCE)
  if (revision < CANCUN || hasFlag(self, CREATED)) {
    addBalance(heir, NAMED_ADDRESS)
    setFlags(self, DESTROYED)
    clearBalance(self)
  } else if (heir != self) {
    subtractBalance(self, NAMED_ADDRESS)
    addBalance(heir, NAMED_ADDRESS)
  }
  return endWith(NONE, memoryBase, 0)
}
