import { byte, unsigned } from './bytes'
import { REFERENCES, SLOT_LOCALS } from './layout'
import { LOCAL_GET, LOCAL_SET, LOCAL_TEE } from './wasm'

/**
 * Locals of the compiled function: its parameters, a few named ones, those of stack slots, and temporaries of a block.
 * A slot has a local for each limb that is used. A limb of a value names its local by an id: SLOT + slot * 4 + limb,
 * or the number of a temporary.
 */
// Parameters
/** Stack pointer of the empty stack. */
export const STACK_BASE: u32 = 0
/** Address of the top word of the stack at the entry. */
export const SP: u32 = 1
export const GAS: u32 = 2
/** Jumps left. */
export const FUEL: u32 = 3
// Named locals: i32
/** Address of the lowest slot that a region can reach. */
export const BASE: u32 = 4
/** Instance to continue with. */
export const STATE: u32 = 5
/** How the region ends (exit.ts), and the height of its stack then. */
export const EXIT: u32 = 6
export const HEIGHT: u32 = 7
/** Address of the EVM memory; address of an access. */
export const MEMORY: u32 = 8
export const ADDRESS: u32 = 9
export const FLAG: u32 = 10
// v128
export const VECTOR: u32 = 11
// i64
/** Number of offsets at which a whole word is in memory. */
export const WORD_ENDS: u32 = 12
export const GAS_LEFT: u32 = 13
export const FIRST_SLOT: u32 = 14

export const SLOT: u32 = 0x10000
/** Most temporaries of a block. */
export const TEMPORARIES: u32 = 2048

/** Locals of slots; it grows until all passes are done. */
let slotLocals: u32 = 0
/** That number at the start of the pass. */
let firstTemporary: u32 = 0
let temporaries: u32 = 0
/** Temporaries that all passes needed at most. */
let mostTemporaries: u32 = 0
/** Set if the pass has used a local that it did not have at its start. */
let isChanged: bool = false
let isFull: bool = false

export function clearLocals(): void {
  memory.fill(SLOT_LOCALS, 0, 4096)
  slotLocals = 0
  isFull = false
}

export function beginPass(): void {
  firstTemporary = FIRST_SLOT + slotLocals
  mostTemporaries = 0
  isChanged = false
}

export function beginTemporaries(): void {
  memory.fill(REFERENCES, 0, usize(TEMPORARIES) * 2)
  temporaries = 0
}

export function haveLocalsChanged(): bool {
  return isChanged
}

export function areLocalsFull(): bool {
  return isFull
}

/** Returns how many i64 locals follow the named ones. */
export function wordLocals(): u32 {
  return firstTemporary - FIRST_SLOT + mostTemporaries
}

export function hasSlotLocal(id: u32): bool {
  return load<u16>(SLOT_LOCALS + (usize(id - SLOT) << 1)) != 0
}

function indexOf(id: u32): u32 {
  if (id < SLOT) return firstTemporary + id
  const cell = SLOT_LOCALS + (usize(id - SLOT) << 1)
  let number: u32 = load<u16>(cell)
  if (number == 0) {
    number = ++slotLocals
    store<u16>(cell, u16(number))
    isChanged = true
  }
  return FIRST_SLOT + number - 1
}

/** Returns a free temporary, referenced once. */
function takeTemporary(): u32 {
  let id: u32 = 0
  while (id < temporaries && load<u16>(REFERENCES + (usize(id) << 1)) != 0) id++
  if (id >= TEMPORARIES) {
    isFull = true
    id = 0
  }
  if (id >= temporaries) temporaries = id + 1
  mostTemporaries = max(mostTemporaries, temporaries)
  store<u16>(REFERENCES + (usize(id) << 1), 1)
  return id
}

export function retainLocal(id: u32): void {
  if (id >= SLOT) return
  const cell = REFERENCES + (usize(id) << 1)
  store<u16>(cell, load<u16>(cell) + 1)
}

export function releaseLocal(id: u32): void {
  if (id >= SLOT) return
  const cell = REFERENCES + (usize(id) << 1)
  store<u16>(cell, load<u16>(cell) - 1)
}

export function get(local: u32): void {
  byte(LOCAL_GET)
  unsigned(local)
}

export function set(local: u32): void {
  byte(LOCAL_SET)
  unsigned(local)
}

export function tee(local: u32): void {
  byte(LOCAL_TEE)
  unsigned(local)
}

export function getId(id: u32): void {
  get(indexOf(id))
}

export function setId(id: u32): void {
  set(indexOf(id))
}

/** Moves the result of the last instruction into a new temporary, and returns it. */
export function keepResult(): u32 {
  const id = takeTemporary()
  setId(id)
  return id
}

/** Like `keepResult`; the result stays on the stack too. */
export function teeResult(): u32 {
  const id = takeTemporary()
  tee(indexOf(id))
  return id
}
