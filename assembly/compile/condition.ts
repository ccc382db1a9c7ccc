import { byte } from './bytes'
import {
  bitsOf,
  clearValue,
  constant,
  getLimb,
  isLimb,
  isNumber,
  limbsOf,
  RESULT,
  setBits,
  setLimb,
} from './value'
import * as wasm from './wasm'

/** Comparisons. Those named `emit...` leave an i32 of 0 or 1. */

/** Emits the union of the limbs from `from` on, or 0. */
export function emitUnion(value: usize, from: u32): void {
  if (from >= limbsOf(value)) return constant(0)
  for (let limb = from; limb < limbsOf(value); limb++) {
    getLimb(value, limb)
    if (limb > from) byte(wasm.I64_OR)
  }
}

/** Emits whether the value is not zero. */
export function emitTruth(value: usize): void {
  if (bitsOf(value) == 1 && !isNumber(value, 0)) {
    getLimb(value, 0)
    byte(wasm.I32_WRAP_I64)
    return
  }
  emitUnion(value, 0)
  constant(0)
  byte(wasm.I64_NE)
}

export function emitIsZero(value: usize): void {
  if (bitsOf(value) == 1 && !isNumber(value, 0)) {
    getLimb(value, 0)
    byte(wasm.I32_WRAP_I64)
    byte(wasm.I32_EQZ)
    return
  }
  emitUnion(value, 0)
  byte(wasm.I64_EQZ)
}

export function emitEqual(a: usize, b: usize): void {
  const limbs = max(max(limbsOf(a), limbsOf(b)), 1)
  if (limbs == 1) {
    getLimb(a, 0)
    getLimb(b, 0)
    byte(wasm.I64_EQ)
    return
  }
  for (let limb: u32 = 0; limb < limbs; limb++) {
    getLimb(a, limb)
    if (!isLimb(b, limb, 0)) {
      getLimb(b, limb)
      byte(wasm.I64_XOR)
    }
    if (limb > 0) byte(wasm.I64_OR)
  }
  byte(wasm.I64_EQZ)
}

/** Emits a < b. */
export function emitLess(a: usize, b: usize, isSigned: bool): void {
  const limbs: u32 = isSigned ? 4 : max(max(limbsOf(a), limbsOf(b)), 1)
  getLimb(a, 0)
  getLimb(b, 0)
  byte(wasm.I64_LT_U)
  for (let limb: u32 = 1; limb < limbs; limb++) {
    // Equal here and less below, or less here
    getLimb(a, limb)
    getLimb(b, limb)
    byte(wasm.I64_EQ)
    byte(wasm.I32_AND)
    getLimb(a, limb)
    getLimb(b, limb)
    byte(isSigned && limb == 3 ? wasm.I64_LT_S : wasm.I64_LT_U)
    byte(wasm.I32_OR)
  }
}

/** Makes the i32 on the stack the result. */
export function setTruth(): void {
  clearValue(RESULT, 1)
  byte(wasm.I64_EXTEND_I32_U)
  setLimb(0)
  setBits(RESULT, 1)
}
