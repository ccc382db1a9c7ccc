import { STACK_WORDS } from '../generated/limit'
import { REGION_EXIT } from '../layout'
import { byte, signed, unsigned } from './bytes'
import { contextOf, instanceOf, pcOf } from './instance'
import {
  BASE,
  EXIT,
  FUEL,
  GAS,
  get,
  HEIGHT,
  hasSlotLocal,
  MEMORY,
  SP,
  STACK_BASE,
  STATE,
  set,
  setId,
  tee,
  WORD_ENDS,
} from './local'
import { getSlotLimb, height, highest, isStale, LOW, lowest, settleSlots, slotId } from './stack'
import { constant } from './value'
import * as wasm from './wasm'

/**
 * The edges between instances and the ends of the region. The body is one loop around nested blocks, a block for each
 * instance: a jump forward is a branch, a jump back sets the instance and branches to a br_table at the loop's start.
 */

/** How a region ends: the interpreter executes the opcode at pc. */
export const AT: u32 = 0
/** The interpreter jumps to the JUMPDEST at pc. */
export const JUMPED: u32 = 1
/** An instruction at pc returned a signal. */
export const SIGNALLED: u32 = 2

/** Indices of imported globals. */
const MEMORY_BASE: u32 = 0
const MEMORY_SIZE: u32 = 1
export const GAS_REGISTER: u32 = 2
export const RETURN_SIZE: u32 = 3

/** Open labels within the current instance. */
let labels: u32 = 0
let current: i32 = 0
/** Number of instances that the pass lays out. */
let laidOut: i32 = 0
/** Set if a jump of the region goes back. */
export let isLoop: bool = false

export function i32Constant(value: i32): void {
  byte(wasm.I32_CONST)
  signed(value)
}

export function beginIf(): void {
  byte(wasm.IF)
  byte(wasm.EMPTY)
  labels++
}

/** Begins an `if` with a result, in which no edge may start. */
export function beginChoice(type: u32): void {
  byte(wasm.IF)
  byte(type)
  labels++
}

export function end(): void {
  byte(wasm.END)
  labels--
}

function branch(label: u32): void {
  byte(wasm.BR)
  unsigned(label)
}

/** Leaves the region at `pc` with the stack as it is. */
export function leaveRegion(kind: u32, pc: u32): void {
  settleSlots(0)
  i32Constant(i32((pc << 2) | kind))
  set(EXIT)
  i32Constant(height)
  set(HEIGHT)
  branch(labels + u32(laidOut - current))
}

/** Leaves the region before the opcode at `pc`, whose segment has paid `unused` gas for it and what follows. */
export function leaveBefore(pc: u32, unused: u32): void {
  if (unused != 0) {
    get(GAS)
    constant(unused)
    byte(wasm.I64_ADD)
    set(GAS)
  }
  leaveRegion(AT, pc)
}

/** Continues with the block at `pc`. */
export function continueAt(pc: u32, isJump: bool): void {
  const target = instanceOf(pc)
  if (target < 0) return leaveRegion(isJump ? JUMPED : AT, pc)
  if (isJump) {
    get(FUEL)
    i32Constant(1)
    byte(wasm.I32_SUB)
    set(FUEL)
    if (target <= current) {
      isLoop = true
      get(FUEL)
      i32Constant(0)
      byte(wasm.I32_LT_S)
      beginIf()
      leaveRegion(AT, pc)
      end()
    }
  }
  settleSlots(contextOf(target))
  if (target > current) return branch(labels + u32(target - current - 1))
  if (target == current) return branch(labels - 1)
  i32Constant(target)
  set(STATE)
  branch(labels + u32(laidOut - 1 - current))
}

/** Emits the start of an instance's body. */
export function beginInstance(index: i32): void {
  current = index
  byte(wasm.END)
  byte(wasm.LOOP)
  byte(wasm.EMPTY)
  labels = 1
}

export function endInstance(): void {
  byte(wasm.END)
  byte(wasm.UNREACHABLE)
}

/** Reads the registers of the EVM memory, which an instruction may have changed. */
export function reloadMemory(): void {
  byte(wasm.GLOBAL_GET)
  unsigned(MEMORY_BASE)
  set(MEMORY)
  byte(wasm.GLOBAL_GET)
  unsigned(MEMORY_SIZE)
  constant(31)
  byte(wasm.I64_SUB)
  constant(0)
  byte(wasm.GLOBAL_GET)
  unsigned(MEMORY_SIZE)
  constant(31)
  byte(wasm.I64_GT_U)
  byte(wasm.SELECT)
  set(WORD_ENDS)
}

/** Pushes the address of a slot's word as a base, and returns its constant offset. */
export function slotOffset(slot: i32): u32 {
  get(BASE)
  return u32(slot) << 5
}

export function storeLimb(offset: u32): void {
  byte(wasm.I64_STORE)
  byte(3)
  unsigned(offset)
}

export function loadLimb(offset: u32): void {
  byte(wasm.I64_LOAD)
  byte(3)
  unsigned(offset)
}

function storeExit(local: u32, opcode: u32, alignment: u32, offset: u32): void {
  i32Constant(i32(REGION_EXIT))
  get(local)
  byte(opcode)
  byte(alignment)
  unsigned(offset)
}

/** Writes the registers and returns how the region ends. */
function finish(): void {
  storeExit(SP, wasm.I32_STORE, 2, 0)
  storeExit(FUEL, wasm.I32_STORE, 2, 4)
  storeExit(GAS, wasm.I64_STORE, 3, 8)
  get(EXIT)
  byte(wasm.RETURN)
}

/**
 * Emits the entry: refuses a stack on which some block could underflow or overflow, and reads the slots that blocks
 * use.
 */
export function beginRegion(count: i32): void {
  laidOut = count
  labels = 0
  isLoop = false
  i32Constant(i32(pcOf(0) << 2))
  set(EXIT)
  // Address of the top word less that of the empty stack's
  get(SP)
  get(STACK_BASE)
  byte(wasm.I32_SUB)
  tee(HEIGHT)
  i32Constant((LOW - lowest) << 5)
  byte(wasm.I32_LT_U)
  get(HEIGHT)
  i32Constant((i32(STACK_WORDS) - (highest - LOW)) << 5)
  byte(wasm.I32_GT_U)
  byte(wasm.I32_OR)
  byte(wasm.IF)
  byte(wasm.EMPTY)
  finish()
  byte(wasm.END)
  get(SP)
  i32Constant((LOW - 1) << 5)
  byte(wasm.I32_SUB)
  set(BASE)
  for (let slot: i32 = lowest; slot < LOW; slot++) {
    for (let limb: u32 = 0; limb < 4; limb++) {
      if (!hasSlotLocal(slotId(slot, limb))) continue
      loadLimb(slotOffset(slot) + (limb << 3))
      setId(slotId(slot, limb))
    }
  }
  reloadMemory()
  byte(wasm.BLOCK)
  byte(wasm.EMPTY)
  byte(wasm.LOOP)
  byte(wasm.EMPTY)
  for (let i: i32 = 0; i < count; i++) {
    byte(wasm.BLOCK)
    byte(wasm.EMPTY)
  }
  get(STATE)
  byte(wasm.BR_TABLE)
  unsigned(u32(count - 1))
  for (let i: i32 = 0; i < count; i++) unsigned(u32(i))
}

/** Emits the end: writes the slots below the height that may differ from memory. */
export function endRegion(): void {
  byte(wasm.END)
  byte(wasm.END)
  byte(wasm.BLOCK)
  byte(wasm.EMPTY)
  for (let slot: i32 = lowest; slot < highest; slot++) {
    if (slot < LOW && !isStale(slot)) continue
    get(HEIGHT)
    i32Constant(slot)
    byte(wasm.I32_LE_S)
    byte(wasm.BR_IF)
    byte(0)
    for (let limb: u32 = 0; limb < 4; limb++) {
      const offset = slotOffset(slot) + (limb << 3)
      getSlotLimb(slot, limb)
      storeLimb(offset)
    }
  }
  byte(wasm.END)
  get(BASE)
  get(HEIGHT)
  i32Constant(5)
  byte(wasm.I32_SHL)
  byte(wasm.I32_ADD)
  i32Constant(32)
  byte(wasm.I32_SUB)
  set(SP)
  finish()
}
