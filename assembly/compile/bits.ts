import { byte } from './bytes'
import { getId, keepResult, releaseLocal } from './local'
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
  numberOf,
  RESULT,
  setLimb,
  setNumber,
} from './value'
import * as wasm from './wasm'

/** Bitwise operations of A and B, and shifts of B by a constant. */

const ONES: u64 = 0xffffffffffffffff

/** RESULT = A & B. */
export function and(): void {
  const bits = min(bitsOf(A), bitsOf(B))
  clearValue(RESULT, bits)
  for (let limb: u32 = 0; limb < (bits + 63) >> 6; limb++) {
    if (isLimb(A, limb, 0) || isLimb(B, limb, 0)) continue
    if (isLimb(A, limb, ONES)) {
      copyLimb(limb, B, limb)
    } else if (isLimb(B, limb, ONES)) {
      copyLimb(limb, A, limb)
    } else {
      getLimb(A, limb)
      getLimb(B, limb)
      byte(wasm.I64_AND)
      setLimb(limb)
    }
  }
}

/** RESULT = A | B or A ^ B. */
export function unite(opcode: u32): void {
  const bits = max(bitsOf(A), bitsOf(B))
  clearValue(RESULT, bits)
  for (let limb: u32 = 0; limb < (bits + 63) >> 6; limb++) {
    if (isLimb(A, limb, 0)) {
      copyLimb(limb, B, limb)
    } else if (isLimb(B, limb, 0)) {
      copyLimb(limb, A, limb)
    } else {
      getLimb(A, limb)
      getLimb(B, limb)
      byte(opcode)
      setLimb(limb)
    }
  }
}

/** RESULT = ~A. */
export function invert(): void {
  clearValue(RESULT, 256)
  for (let limb: u32 = 0; limb < 4; limb++) {
    if (isNumber(A, limb)) {
      setNumber(RESULT, limb, ~numberOf(A, limb))
    } else {
      getLimb(A, limb)
      constant(ONES)
      byte(wasm.I64_XOR)
      setLimb(limb)
    }
  }
}

function shiftLimb(limb: u32, opcode: u32, count: u32): void {
  getLimb(B, limb)
  if (count == 0) return
  constant(count)
  byte(opcode)
}

/** RESULT = B << count. */
export function shiftLeft(count: u32): void {
  if (count > 255) return clearValue(RESULT, 0)
  const bits: u32 = bitsOf(B) == 0 ? 0 : min<u32>(256, bitsOf(B) + count)
  const moved = count >> 6
  const rest = count & 63
  clearValue(RESULT, bits)
  for (let limb = moved; limb < (bits + 63) >> 6; limb++) {
    const from = limb - moved
    const hasLow = rest != 0 && from > 0 && !isLimb(B, from - 1, 0)
    if (rest == 0 || (isLimb(B, from, 0) && !hasLow)) {
      copyLimb(limb, B, from)
      continue
    }
    shiftLimb(from, wasm.I64_SHL, rest)
    if (hasLow) {
      shiftLimb(from - 1, wasm.I64_SHR_U, 64 - rest)
      byte(wasm.I64_OR)
    }
    setLimb(limb)
  }
}

/** RESULT = B >> count. */
export function shiftRight(count: u32): void {
  if (count >= bitsOf(B)) return clearValue(RESULT, 0)
  const bits = bitsOf(B) - count
  const moved = count >> 6
  const rest = count & 63
  clearValue(RESULT, bits)
  for (let limb: u32 = 0; limb < (bits + 63) >> 6; limb++) {
    const from = limb + moved
    const hasHigh = rest != 0 && from < 3 && !isLimb(B, from + 1, 0)
    if (rest == 0 || (isLimb(B, from, 0) && !hasHigh)) {
      copyLimb(limb, B, from)
      continue
    }
    shiftLimb(from, wasm.I64_SHR_U, rest)
    if (hasHigh) {
      shiftLimb(from + 1, wasm.I64_SHL, 64 - rest)
      byte(wasm.I64_OR)
    }
    setLimb(limb)
  }
}

/** RESULT = B >> count with the sign. */
export function shiftRightSigned(count: u32): void {
  if (bitsOf(B) < 256) return shiftRight(min<u32>(count, 256))
  clearValue(RESULT, 256)
  getLimb(B, 3)
  constant(63)
  byte(wasm.I64_SHR_S)
  const fill = keepResult()
  const moved = min<u32>(count, 256) >> 6
  const rest = count > 255 ? 0 : count & 63
  for (let limb: u32 = 0; limb < 4; limb++) {
    const from = limb + moved
    if (from > 3) {
      getId(fill)
    } else if (rest == 0) {
      getLimb(B, from)
    } else if (from == 3) {
      shiftLimb(3, wasm.I64_SHR_S, rest)
    } else {
      shiftLimb(from, wasm.I64_SHR_U, rest)
      shiftLimb(from + 1, wasm.I64_SHL, 64 - rest)
      byte(wasm.I64_OR)
    }
    setLimb(limb)
  }
  releaseLocal(fill)
}

/** RESULT = the byte of B at `index`, counted from the most significant. */
export function byteAt(index: u32): void {
  if (index > 31) return clearValue(RESULT, 0)
  const place: u32 = 31 - index
  const below: u32 = place << 3
  if (bitsOf(B) <= below) return clearValue(RESULT, 0)
  clearValue(RESULT, min<u32>(8, bitsOf(B) - below))
  shiftLimb(place >> 3, wasm.I64_SHR_U, (place & 7) << 3)
  constant(255)
  byte(wasm.I64_AND)
  setLimb(0)
}

/** RESULT = B with the sign of its byte at `index`, counted from the least significant. */
export function extendSign(index: u32): void {
  const bits = (index << 3) + 8
  if (index > 30 || bitsOf(B) < bits) {
    clearValue(RESULT, bitsOf(B))
    for (let limb: u32 = 0; limb < 4; limb++) copyLimb(limb, B, limb)
    return
  }
  clearValue(RESULT, 256)
  const at = index >> 3
  const up = 56 - ((index & 7) << 3)
  for (let limb: u32 = 0; limb < at; limb++) copyLimb(limb, B, limb)
  shiftLimb(at, wasm.I64_SHL, up)
  if (up != 0) {
    constant(up)
    byte(wasm.I64_SHR_S)
  }
  setLimb(at)
  if (at == 3) return
  getLimb(RESULT, at)
  constant(63)
  byte(wasm.I64_SHR_S)
  setLimb(at + 1)
  for (let limb = at + 2; limb < 4; limb++) copyLimb(limb, RESULT, at + 1)
}
