import {
  INVALID_OPCODE,
  OUT_OF_GAS,
  STACK_OVERFLOW,
  STACK_UNDERFLOW,
  WRITE,
} from '../../generated/fault'
import {
  balanceGas,
  COLD_SLOAD,
  COPY_WORD,
  callGas,
  callValueGas,
  codeReadGas,
  coldAccountGas,
  createGas,
  exponentByteGas,
  externalCodeGas,
  externalHashGas,
  INITCODE_WORD,
  KECCAK_WORD,
  LOG_BYTE,
  LOG_TOPIC,
  newAccountGas,
  newBeneficiaryGas,
  SSTORE_SENTRY,
  STATE_ACCOUNT,
  selfdestructGas,
  sloadGas,
  sstoreColdGas,
  WARM_READ,
} from '../../generated/gas'
import { maxInitcode } from '../../generated/limit'
import * as op from '../../generated/opcode'
import {
  AMSTERDAM,
  ISTANBUL,
  PRAGUE,
  SHANGHAI,
  SPURIOUS_DRAGON,
  TANGERINE_WHISTLE,
} from '../../generated/revision'
import { NAMED_ADDRESS } from '../../layout'
import { bitLength, isZero, saturate, writeAddress } from '../../u256/word'
import { SELF, top } from '../frame/frame'
import { accessGas } from '../instruction/call'
import { storeGas } from '../instruction/storage'
import { LARGEST_MEMORY, memoryGas, memorySize } from '../machine/memory'
import { reservoir } from '../machine/state-gas'
import { constantGas } from '../opcode'
import { isBerlin, revision } from '../revision'
import { BALANCE, CODE_HASH, findAccount, isDead } from '../state/account'
import { delegate, findCode, isDelegation } from '../state/code'
import { findSlot, isWarmSlot } from '../state/slot'

/**
 * The cost that geth reports for a failed step (core/vm/interpreter.go): the constant gas of the opcode, plus its
 * dynamic gas if stack and constant gas suffice and the dynamic gas has a value. It is computed on the frame and the
 * state before the step.
 */

/** The dynamic gas has no value: geth's function for it fails. */
const NO_VALUE: u64 = u64.MAX_VALUE

/** Returns the cost of a failed step. `sp` and `gas` are those before the step. */
export function failedStepCost(opcode: u32, fault: i32, detail: u64, sp: usize, gas: i64): u64 {
  // The detail of an invalid operand (EIP-8024) exceeds a byte
  if (fault == INVALID_OPCODE && detail < 256) return 0
  const fixed = fixedGas(opcode)
  if (fault == STACK_UNDERFLOW || fault == STACK_OVERFLOW || u64(gas) < fixed) return fixed
  if (fault == OUT_OF_GAS && detail == WRITE) return fixed
  const dynamic = dynamicGas(opcode, sp, u64(gas) - fixed)
  return dynamic == NO_VALUE ? fixed : fixed + dynamic
}

/** Returns `constantGas` of geth's jump table. */
function fixedGas(opcode: u32): u64 {
  switch (opcode) {
    case op.EXP:
      return 0
    case op.BALANCE:
      return isBerlin() ? WARM_READ : balanceGas(revision)
    case op.EXTCODESIZE:
    case op.EXTCODECOPY:
      return isBerlin() ? WARM_READ : externalCodeGas(revision)
    case op.EXTCODEHASH:
      return isBerlin() ? WARM_READ : externalHashGas(revision)
    case op.SLOAD:
      return isBerlin() ? 0 : sloadGas(revision)
    case op.LOG0:
    case op.LOG1:
    case op.LOG2:
    case op.LOG3:
    case op.LOG4:
      return 0
    case op.CREATE:
    case op.CREATE2:
      return createGas(revision)
    case op.CALL:
    case op.CALLCODE:
    case op.DELEGATECALL:
    case op.STATICCALL:
      return isBerlin() ? WARM_READ : callGas(revision)
    case op.SELFDESTRUCT:
      return isBerlin() ? selfdestructGas(revision) : 0
    default:
      return constantGas(opcode)
  }
}

/** Returns the dynamic gas. `gas` is the gas left after the constant gas. */
function dynamicGas(opcode: u32, sp: usize, gas: u64): u64 {
  switch (opcode) {
    case op.EXP:
      return op.EXP_GAS + exponentByteGas(revision) * u64((bitLength(sp - 32) + 7) >> 3)
    case op.KECCAK256:
      return withWords(reach(sp, sp - 32), sp - 32, KECCAK_WORD)
    case op.BALANCE:
    case op.EXTCODEHASH:
      return coldGas(sp)
    case op.EXTCODESIZE:
      return coldGas(sp) + codeReadGas(revision)
    case op.CALLDATACOPY:
    case op.CODECOPY:
    case op.RETURNDATACOPY:
      return withWords(reach(sp, sp - 64), sp - 64, COPY_WORD)
    case op.EXTCODECOPY:
      return plus(
        withWords(reach(sp - 32, sp - 96), sp - 96, COPY_WORD),
        coldGas(sp) + codeReadGas(revision),
      )
    case op.MLOAD:
    case op.MSTORE:
      return reachBy(sp, 32)
    case op.MSTORE8:
      return reachBy(sp, 1)
    case op.SLOAD:
      return isBerlin() ? (isWarmSlot(slotAt(sp)) ? WARM_READ : COLD_SLOAD) : 0
    case op.SSTORE:
      return sstoreGas(sp, gas)
    case op.MCOPY:
      return withWords(larger(reach(sp, sp - 64), reach(sp - 32, sp - 64)), sp - 64, COPY_WORD)
    case op.LOG0:
    case op.LOG1:
    case op.LOG2:
    case op.LOG3:
    case op.LOG4:
      return logGas(sp, u64(opcode - op.LOG0))
    case op.CREATE:
      return creationGas(sp, revision >= SHANGHAI ? INITCODE_WORD : 0)
    case op.CREATE2:
      return creationGas(sp, KECCAK_WORD + (revision >= SHANGHAI ? INITCODE_WORD : 0))
    case op.CALL:
    case op.CALLCODE:
      return callCost(opcode, sp, sp - 96, !isZero(sp - 64), gas)
    case op.DELEGATECALL:
    case op.STATICCALL:
      return callCost(opcode, sp, sp - 64, false, gas)
    case op.RETURN:
    case op.REVERT:
      return reach(sp, sp - 32)
    case op.SELFDESTRUCT:
      return destructGas(sp, gas)
    default:
      return 0
  }
}

function plus(a: u64, b: u64): u64 {
  return a == NO_VALUE || b == NO_VALUE || a + b < a ? NO_VALUE : a + b
}

function larger(a: u64, b: u64): u64 {
  return a == NO_VALUE || b == NO_VALUE ? NO_VALUE : max(a, b)
}

/** Returns the gas to expand the memory to `size` bytes at the offset in a word. */
function reachBy(offset: usize, size: u64): u64 {
  if (size == 0) return 0
  const start = saturate(offset)
  const end = start + size
  if (end < start || end > LARGEST_MEMORY) return NO_VALUE
  if (end <= memorySize) return 0
  return memoryGas((end + 31) >> 5) - memoryGas(memorySize >> 5)
}

/** Returns the gas to expand the memory to the size in one word, at the offset in another. */
function reach(offset: usize, size: usize): u64 {
  return reachBy(offset, saturate(size))
}

/** Adds `price` for each 32-byte word of the size in `size`. */
function withWords(gas: u64, size: usize, price: u64): u64 {
  const bytes = saturate(size)
  if (bytes > LARGEST_MEMORY) return NO_VALUE
  return plus(gas, price * ((bytes + 31) >> 5))
}

function accountAt(word: usize): usize {
  writeAddress(NAMED_ADDRESS, word)
  return findAccount(NAMED_ADDRESS)
}

/** Returns the gas of a cold address beyond that of a warm one (EIP-2929). */
function coldGas(word: usize): u64 {
  return isBerlin() ? accessGas(accountAt(word)) - WARM_READ : 0
}

function slotAt(key: usize): usize {
  return findSlot(load<u32>(top, SELF), key)
}

function sstoreGas(sp: usize, gas: u64): u64 {
  if (revision >= ISTANBUL && gas <= SSTORE_SENTRY) return NO_VALUE
  const slot = slotAt(sp)
  const cold = isBerlin() && !isWarmSlot(slot) ? sstoreColdGas(revision) : 0
  return cold + storeGas(slot, sp - 32)
}

function logGas(sp: usize, topics: u64): u64 {
  const memory = reach(sp, sp - 32)
  if (memory == NO_VALUE) return NO_VALUE
  return memory + op.LOG0_GAS + LOG_TOPIC * topics + LOG_BYTE * saturate(sp - 32)
}

function creationGas(sp: usize, wordPrice: u64): u64 {
  if (revision >= SHANGHAI && saturate(sp - 64) > maxInitcode(revision)) return NO_VALUE
  return withWords(reach(sp - 32, sp - 64), sp - 64, wordPrice)
}

function destructGas(sp: usize, gas: u64): u64 {
  const beneficiary = accountAt(sp)
  let cost = isBerlin() ? 0 : selfdestructGas(revision)
  if (isBerlin() && accessGas(beneficiary) != WARM_READ) cost += coldAccountGas(revision)
  if (isBerlin() && gas < cost) return cost
  const hasBalance = !isZero(usize(load<u32>(top, SELF)) + BALANCE)
  const counts = revision >= TANGERINE_WHISTLE && (hasBalance || revision < SPURIOUS_DRAGON)
  return counts && isDead(beneficiary) ? cost + newBeneficiaryGas(revision) : cost
}

/** Returns the account that the callee's code delegates to (EIP-7702), or 0. */
function delegateOf(callee: usize): usize {
  if (revision < PRAGUE) return 0
  const code = findCode(callee + CODE_HASH)
  return code != 0 && isDelegation(code) ? findAccount(delegate(code)) : 0
}

/**
 * Returns the cost of a call. `ranges` is the word with the offset of the input; its size and the output's range
 * follow.
 */
function callCost(opcode: u32, sp: usize, ranges: usize, transfers: bool, gas: u64): u64 {
  const callee = accountAt(sp - 32)
  const cold = isBerlin() ? accessGas(callee) - WARM_READ : 0
  if (gas < cold) return NO_VALUE
  let base = larger(reach(ranges, ranges - 32), reach(ranges - 64, ranges - 96))
  if (base == NO_VALUE) return NO_VALUE
  if (transfers) base += callValueGas(revision)
  let left = gas - cold
  if (isBerlin() && left < base) return NO_VALUE
  if (opcode == op.CALL && (transfers || revision < SPURIOUS_DRAGON) && isDead(callee)) {
    base += newAccountGas(revision)
  }
  let delegation: u64 = 0
  const delegated = delegateOf(callee)
  if (delegated != 0) {
    delegation = delegated == callee ? WARM_READ : accessGas(delegated)
  }
  // Since EIP-7702 all of it is charged before the gas of the callee is computed
  if (revision >= PRAGUE && left < base + delegation) return NO_VALUE
  left -= delegation
  // Since EIP-8037 the state gas of a new account is charged there too
  if (revision >= AMSTERDAM && opcode == op.CALL && transfers && isDead(callee)) {
    const state = i64(STATE_ACCOUNT) - reservoir
    if (i64(left - base) < state) return NO_VALUE
  }
  return plus(plus(handedOn(saturate(sp), left, base), base), cold + delegation)
}

/**
 * Returns the gas passed to the callee. geth does not check for an underflow here: the difference wraps, and geth
 * then passes all the gas that was asked for.
 */
function handedOn(asked: u64, left: u64, base: u64): u64 {
  if (revision < TANGERINE_WHISTLE) return asked
  const available = left - base
  return min(asked, available - available / 64)
}
