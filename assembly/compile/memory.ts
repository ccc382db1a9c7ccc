import { byte, unsigned } from './bytes'
import { callGrow } from './call'
import { emitUnion } from './condition'
import { beginIf, end, leaveBefore, reloadMemory } from './exit'
import {
  ADDRESS,
  GAS,
  GAS_LEFT,
  get,
  keepResult,
  MEMORY,
  set,
  tee,
  VECTOR,
  WORD_ENDS,
} from './local'
import { peek } from './stack'
import {
  A,
  B,
  clearValue,
  constant,
  getLimb,
  isNumber,
  limbsOf,
  numberOf,
  RESULT,
  setLocal,
  smallConstant,
} from './value'
import * as wasm from './wasm'

/** MLOAD, MSTORE and MSTORE8. */

/** Constant offsets below this are in memory. */
let known: i64 = 0

/** Forgets what is known about the memory's size. */
export function beginMemory(): void {
  known = 0
}

/** Emits the offset on top of the stack, saturated to 64 bits. */
function emitOffset(offset: usize): void {
  getLimb(offset, 0)
  if (limbsOf(offset) < 2) return
  constant(-1)
  emitUnion(offset, 1)
  byte(wasm.I64_EQZ)
  byte(wasm.SELECT)
}

/**
 * Emits the check that `size` bytes at the offset on top of the stack are in memory, and the growth of the memory if
 * not. If the gas does not suffice for that, the interpreter repeats the opcode, at `pc`.
 */
export function requireMemory(size: u32, pc: u32, unused: u32): void {
  const offset = peek(0)
  const fixed = smallConstant(offset)
  if (fixed >= 0 && fixed < known) return
  getLimb(offset, 0)
  get(WORD_ENDS)
  byte(wasm.I64_GE_U)
  if (limbsOf(offset) > 1) {
    emitUnion(offset, 1)
    constant(0)
    byte(wasm.I64_NE)
    byte(wasm.I32_OR)
  }
  beginIf()
  emitOffset(offset)
  constant(size)
  get(GAS)
  callGrow()
  tee(GAS_LEFT)
  constant(0)
  byte(wasm.I64_LT_S)
  beginIf()
  leaveBefore(pc, unused)
  end()
  get(GAS_LEFT)
  set(GAS)
  reloadMemory()
  end()
  // A single byte may be the last of the memory; no word begins there
  if (fixed >= 0 && size == 32) known = fixed + 1
}

/** Emits the address of the offset `operand`, and returns the constant part of it. */
function emitAddress(operand: usize): u32 {
  const fixed = smallConstant(operand)
  get(MEMORY)
  if (fixed >= 0 && fixed < 1 << 30) return u32(fixed)
  getLimb(operand, 0)
  byte(wasm.I32_WRAP_I64)
  byte(wasm.I32_ADD)
  return 0
}

function vector(opcode: u32): void {
  byte(wasm.SIMD)
  byte(opcode)
}

/** Reverses the bytes of the vector on the stack. */
function reverseBytes(): void {
  vector(wasm.I8X16_SHUFFLE)
  for (let i: u32 = 16; i > 0; i--) byte(i - 1)
}

function loadPair(offset: u32, limb: u32): void {
  get(ADDRESS)
  vector(wasm.V128_LOAD)
  byte(0)
  unsigned(offset)
  get(VECTOR)
  reverseBytes()
  tee(VECTOR)
  vector(wasm.I64X2_EXTRACT_LANE)
  byte(0)
  setLocal(RESULT, limb, keepResult())
  get(VECTOR)
  vector(wasm.I64X2_EXTRACT_LANE)
  byte(1)
  setLocal(RESULT, limb + 1, keepResult())
}

/** RESULT = the word at A, which is in memory. */
export function loadWord(): void {
  const offset = emitAddress(A)
  set(ADDRESS)
  clearValue(RESULT, 256)
  loadPair(offset + 16, 0)
  loadPair(offset, 2)
}

function storePair(offset: u32, limb: u32): void {
  get(ADDRESS)
  if (isNumber(B, limb) && isNumber(B, limb + 1)) {
    vector(wasm.V128_CONST)
    for (let i: u64 = 0; i < 8; i++) byte(u32((numberOf(B, limb + 1) >> (56 - 8 * i)) & 255))
    for (let i: u64 = 0; i < 8; i++) byte(u32((numberOf(B, limb) >> (56 - 8 * i)) & 255))
  } else {
    getLimb(B, limb)
    vector(wasm.I64X2_SPLAT)
    getLimb(B, limb + 1)
    vector(wasm.I64X2_REPLACE_LANE)
    byte(1)
    get(VECTOR)
    reverseBytes()
  }
  vector(wasm.V128_STORE)
  byte(0)
  unsigned(offset)
}

/** Writes the word B at A. */
export function storeWord(): void {
  const offset = emitAddress(A)
  set(ADDRESS)
  storePair(offset + 16, 0)
  storePair(offset, 2)
}

/** Writes the lowest byte of B at A. */
export function storeByte(): void {
  const offset = emitAddress(A)
  getLimb(B, 0)
  byte(wasm.I64_STORE8)
  byte(0)
  unsigned(offset)
}
