import * as op from '../generated/opcode'
import { byte } from './bytes'
import { compute } from './call'
import { emitUnion } from './condition'
import { beginChoice, end } from './exit'
import { getId, keepResult, releaseLocal, setId } from './local'
import {
  A,
  B,
  bitsOf,
  clearValue,
  constant,
  copyLimb,
  getLimb,
  isLimb,
  isNumber,
  limbsOf,
  numberOf,
  RESULT,
  release,
  setBits,
  setLimb,
  setLocal,
} from './value'
import * as wasm from './wasm'

/** Sums, products and quotients of A and B in limbs. */

const NONE: u32 = 0xffffffff

/** RESULT = A + B. */
export function add(): void {
  const bits = min<u32>(256, max(bitsOf(A), bitsOf(B)) + 1)
  const limbs = (bits + 63) >> 6
  clearValue(RESULT, bits)
  let carry = NONE
  for (let limb: u32 = 0; limb < limbs; limb++) {
    const isLast = limb + 1 == limbs
    const aIsZero = isLimb(A, limb, 0)
    const bIsZero = isLimb(B, limb, 0)
    if (carry == NONE && (aIsZero || bIsZero)) {
      copyLimb(limb, aIsZero ? B : A, limb)
      continue
    }
    if (aIsZero && bIsZero) {
      setLocal(RESULT, limb, carry)
      carry = NONE
      continue
    }
    if (aIsZero || bIsZero) {
      getLimb(aIsZero ? B : A, limb)
      getId(carry)
      byte(wasm.I64_ADD)
      setLimb(limb)
      const before = carry
      carry = NONE
      if (!isLast) {
        getLimb(RESULT, limb)
        getId(before)
        byte(wasm.I64_LT_U)
        byte(wasm.I64_EXTEND_I32_U)
        carry = keepResult()
      }
      releaseLocal(before)
      continue
    }
    getLimb(A, limb)
    getLimb(B, limb)
    byte(wasm.I64_ADD)
    if (carry == NONE) {
      setLimb(limb)
      if (isLast) continue
      getLimb(RESULT, limb)
      getLimb(A, limb)
      byte(wasm.I64_LT_U)
      byte(wasm.I64_EXTEND_I32_U)
      carry = keepResult()
      continue
    }
    const sum = keepResult()
    getId(sum)
    getId(carry)
    byte(wasm.I64_ADD)
    setLimb(limb)
    releaseLocal(carry)
    carry = NONE
    if (!isLast) {
      getId(sum)
      getLimb(A, limb)
      byte(wasm.I64_LT_U)
      getLimb(RESULT, limb)
      getId(sum)
      byte(wasm.I64_LT_U)
      byte(wasm.I32_OR)
      byte(wasm.I64_EXTEND_I32_U)
      carry = keepResult()
    }
    releaseLocal(sum)
  }
  if (carry != NONE) releaseLocal(carry)
}

/** RESULT = A - B. */
export function subtract(): void {
  clearValue(RESULT, 256)
  let borrow = NONE
  for (let limb: u32 = 0; limb < 4; limb++) {
    const isLast = limb == 3
    const bIsZero = isLimb(B, limb, 0)
    if (borrow == NONE) {
      if (bIsZero) {
        copyLimb(limb, A, limb)
        continue
      }
      getLimb(A, limb)
      getLimb(B, limb)
      byte(wasm.I64_SUB)
      setLimb(limb)
      if (isLast) continue
      getLimb(A, limb)
      getLimb(B, limb)
      byte(wasm.I64_LT_U)
      byte(wasm.I64_EXTEND_I32_U)
      borrow = keepResult()
      continue
    }
    if (bIsZero) {
      getLimb(A, limb)
      getId(borrow)
      byte(wasm.I64_SUB)
      setLimb(limb)
      // The borrow of 0 - b is b itself
      if (isLast || isLimb(A, limb, 0)) continue
      getLimb(A, limb)
      getId(borrow)
      byte(wasm.I64_LT_U)
      byte(wasm.I64_EXTEND_I32_U)
      const next = keepResult()
      releaseLocal(borrow)
      borrow = next
      continue
    }
    getLimb(A, limb)
    getLimb(B, limb)
    byte(wasm.I64_SUB)
    const difference = keepResult()
    getId(difference)
    getId(borrow)
    byte(wasm.I64_SUB)
    setLimb(limb)
    if (!isLast) {
      getLimb(A, limb)
      getLimb(B, limb)
      byte(wasm.I64_LT_U)
      getId(difference)
      getId(borrow)
      byte(wasm.I64_LT_U)
      byte(wasm.I32_OR)
      byte(wasm.I64_EXTEND_I32_U)
      const next = keepResult()
      releaseLocal(borrow)
      borrow = next
    }
    releaseLocal(difference)
  }
  if (borrow != NONE) releaseLocal(borrow)
}

/** Emits the low or the high half of a 32-bit split. */
function half(value: usize, isHigh: bool): void {
  getLimb(value, 0)
  constant(isHigh ? 32 : 0xffffffff)
  byte(isHigh ? wasm.I64_SHR_U : wasm.I64_AND)
}

function halves(a: bool, b: bool): void {
  half(A, a)
  half(B, b)
  byte(wasm.I64_MUL)
}

/** Emits the high half of the product of the lowest limbs (u256/multiply.ts). */
function emitHighProduct(): void {
  halves(true, false)
  halves(false, false)
  constant(32)
  byte(wasm.I64_SHR_U)
  byte(wasm.I64_ADD)
  const middle = keepResult()
  halves(false, true)
  getId(middle)
  constant(0xffffffff)
  byte(wasm.I64_AND)
  byte(wasm.I64_ADD)
  constant(32)
  byte(wasm.I64_SHR_U)
  getId(middle)
  constant(32)
  byte(wasm.I64_SHR_U)
  byte(wasm.I64_ADD)
  halves(true, true)
  byte(wasm.I64_ADD)
  releaseLocal(middle)
}

/** RESULT = A * B, if both have one limb. Returns false, without code, if not. */
export function multiplyLimbs(): bool {
  if (limbsOf(A) > 1 || limbsOf(B) > 1) return false
  const bits = bitsOf(A) + bitsOf(B)
  clearValue(RESULT, bits)
  getLimb(A, 0)
  getLimb(B, 0)
  byte(wasm.I64_MUL)
  setLimb(0)
  if (bits > 64) {
    emitHighProduct()
    setLimb(1)
  }
  return true
}

/**
 * Computes MUL, or a quotient or remainder, with a test for operands of one limb, which are computed here. Others call
 * the engine.
 */
export function calculateShort(opcode: u32, bits: u32): void {
  // Operands known to be long need no test
  const isLong = hasLongConstant(A) || hasLongConstant(B)
  if (isLong) return compute(opcode, 2, bits)
  emitUnion(A, 1)
  emitUnion(B, 1)
  byte(wasm.I64_OR)
  byte(wasm.I64_EQZ)
  if (opcode != op.MUL) {
    getLimb(B, 0)
    constant(0)
    byte(wasm.I64_NE)
    byte(wasm.I32_AND)
  }
  beginChoice(wasm.EMPTY)
  getLimb(A, 0)
  getLimb(B, 0)
  const isRemainder = opcode == op.MOD || opcode == op.SMOD
  byte(opcode == op.MUL ? wasm.I64_MUL : isRemainder ? wasm.I64_REM_U : wasm.I64_DIV_U)
  const first = keepResult()
  if (opcode == op.MUL) emitHighProduct()
  else constant(0)
  const second = keepResult()
  constant(0)
  const third = keepResult()
  constant(0)
  const fourth = keepResult()
  byte(wasm.ELSE)
  compute(opcode, 2, bits)
  for (let limb: u32 = 0; limb < 4; limb++) {
    const target = limb == 0 ? first : limb == 1 ? second : limb == 2 ? third : fourth
    getLimb(RESULT, limb)
    setId(target)
  }
  end()
  release(RESULT)
  clearValue(RESULT, bits)
  const limbs = limbsOf(RESULT)
  setLocal(RESULT, 0, first)
  if (limbs > 1) setLocal(RESULT, 1, second)
  else releaseLocal(second)
  if (limbs > 2) setLocal(RESULT, 2, third)
  else releaseLocal(third)
  if (limbs > 3) setLocal(RESULT, 3, fourth)
  else releaseLocal(fourth)
}

/** Returns true for a value that has a limb above the lowest that is known not to be zero. */
function hasLongConstant(value: usize): bool {
  for (let limb: u32 = 1; limb < 4; limb++) {
    if (isNumber(value, limb) && numberOf(value, limb) != 0) return true
  }
  return false
}

/** RESULT = A / B or A % B, if both have one limb. Returns false, without code, if not. */
export function divideLimbs(isRemainder: bool): bool {
  if (limbsOf(A) > 1 || limbsOf(B) > 1) return false
  clearValue(RESULT, isRemainder ? min(bitsOf(A), bitsOf(B)) : bitsOf(A))
  const isKnown = isNumber(B, 0)
  if (isKnown && numberOf(B, 0) == 0) {
    setBits(RESULT, 0)
    return true
  }
  if (!isKnown) {
    getLimb(B, 0)
    byte(wasm.I64_EQZ)
    beginChoice(wasm.TYPE_I64)
    constant(0)
    byte(wasm.ELSE)
  }
  getLimb(A, 0)
  getLimb(B, 0)
  byte(isRemainder ? wasm.I64_REM_U : wasm.I64_DIV_U)
  if (!isKnown) end()
  setLimb(0)
  return true
}
