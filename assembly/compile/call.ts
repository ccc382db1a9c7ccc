import { wordsLeft, wordsTaken } from '../evm/opcode'
import * as op from '../generated/opcode'
import { REGION_EXIT, REGION_WORDS } from '../layout'
import { byte, unsigned } from './bytes'
import {
  beginIf,
  end,
  GAS_REGISTER,
  i32Constant,
  leaveRegion,
  loadLimb,
  reloadMemory,
  SIGNALLED,
  slotOffset,
  storeLimb,
} from './exit'
import { BASE, FLAG, GAS, get, set, tee } from './local'
import { drop, height, LOW, markStale, peek, push, slotId } from './stack'
import {
  A,
  clearValue,
  getLimb,
  isNumber,
  limbsOf,
  localOf,
  RESULT,
  setLimb,
  VALUE_SIZE,
} from './value'
import * as wasm from './wasm'

/** Calls of the engine's functions. */

// Indices of the imported functions
const GROW: u32 = 0
const INSTRUCT: u32 = 1
const COMPUTE: u32 = 2
const MULTIPLY: u32 = 3
const ADD_MODULO: u32 = 4
const MULTIPLY_MODULO: u32 = 5
/** Number of imported functions. */
export const IMPORTED: u32 = 6

function call(index: u32): void {
  byte(wasm.CALL)
  unsigned(index)
}

export function callGrow(): void {
  call(GROW)
}

/** Computes `opcode` of the operands, and loads `limbs` limbs of its word as the result. */
export function compute(opcode: u32, operands: u32, bits: u32): void {
  for (let i: u32 = 0; i < operands; i++) {
    const operand = A + usize(i) * VALUE_SIZE
    for (let limb: u32 = 0; limb < 4; limb++) {
      i32Constant(i32(REGION_WORDS))
      getLimb(operand, limb)
      storeLimb((i << 5) + (limb << 3))
    }
  }
  if (opcode == op.MUL) {
    call(MULTIPLY)
  } else if (opcode == op.ADDMOD) {
    call(ADD_MODULO)
  } else if (opcode == op.MULMOD) {
    call(MULTIPLY_MODULO)
  } else {
    i32Constant(i32(opcode))
    call(COMPUTE)
  }
  clearValue(RESULT, bits)
  for (let limb: u32 = 0; limb < limbsOf(RESULT); limb++) {
    i32Constant(i32(REGION_WORDS))
    loadLimb(limb << 3)
    setLimb(limb)
  }
}

/** Writes the word in a slot to the stack in memory. */
function storeSlot(slot: i32): void {
  const value = peek(height - 1 - slot)
  let isOwn = slot < LOW
  for (let limb: u32 = 0; limb < 4; limb++) {
    isOwn = isOwn && !isNumber(value, limb) && localOf(value, limb) == slotId(slot, limb)
    const offset = slotOffset(slot) + (limb << 3)
    getLimb(value, limb)
    storeLimb(offset)
  }
  if (slot < LOW && !isOwn) markStale(slot)
}

/**
 * Executes an opcode outside the loop (evm/instruction) on the stack in memory. Leaves the region if it does not
 * continue with the next opcode.
 */
export function instruct(opcode: u32, pc: u32): void {
  const taken = i32(wordsTaken(opcode))
  const left = wordsLeft(opcode) != 0
  for (let depth: i32 = 0; depth < taken; depth++) storeSlot(height - 1 - depth)
  i32Constant(i32(opcode))
  i32Constant(i32(pc))
  get(BASE)
  i32Constant((height - 1) << 5)
  byte(wasm.I32_ADD)
  get(GAS)
  call(INSTRUCT)
  tee(FLAG)
  // Memory holds the operands, or already the result if the opcode has completed
  for (let i: i32 = 0; i < taken; i++) drop()
  beginIf()
  i32Constant(i32(REGION_EXIT))
  get(FLAG)
  byte(wasm.I32_STORE)
  byte(2)
  unsigned(16)
  leaveRegion(SIGNALLED, pc)
  end()
  byte(wasm.GLOBAL_GET)
  unsigned(GAS_REGISTER)
  set(GAS)
  reloadMemory()
  if (!left) return
  if (height < LOW) markStale(height)
  clearValue(RESULT, 256)
  for (let limb: u32 = 0; limb < 4; limb++) {
    loadLimb(slotOffset(height) + (limb << 3))
    setLimb(limb)
  }
  push()
}
