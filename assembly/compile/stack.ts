import { SLOT_LOCALS, VALUES } from './layout'
import { getId, SLOT, setId } from './local'
import {
  A,
  bitsOf,
  clearValue,
  constant,
  getLimb,
  isNumber,
  limbsOf,
  localOf,
  RESULT,
  release,
  retain,
  setBits,
  setLocal,
  VALUE_SIZE,
} from './value'

/**
 * The symbolic stack of a block. Slots are numbered from LOW below the height at which the region is entered: the top
 * word there is slot LOW - 1. A slot has locals, as many limbs as the widest value that any block leaves in it. They
 * hold the stack between blocks.
 */
export const LOW: i32 = 40
export const SLOTS: i32 = 128

/** By slot: bound of the bits of its locals. */
const BOUNDS: usize = SLOT_LOCALS + 2048
/** By slot: 1 if its word in memory may differ from its locals. */
const STALE: usize = BOUNDS + 512

/** Lowest slot whose value the block has made. Those below hold their locals. */
let initialized: i32 = LOW

/** Number of the slot above the top. */
export let height: i32 = LOW
/** Lowest slot that any block reads, and highest height of any. */
export let lowest: i32 = LOW
export let highest: i32 = LOW
/** Set if the pass has widened a slot. */
export let isWidened: bool = false

export function clearSlots(): void {
  for (let slot: i32 = 0; slot < SLOTS; slot++) {
    store<u32>(BOUNDS + (usize(slot) << 2), slot < LOW ? 256 : 1)
    store<u8>(STALE + usize(slot), 0)
  }
  lowest = LOW
  highest = LOW
}

export function beginSlots(): void {
  isWidened = false
}

@inline
export function boundOf(slot: i32): u32 {
  return load<u32>(BOUNDS + (usize(slot) << 2))
}

@inline
export function isStale(slot: i32): bool {
  return load<u8>(STALE + usize(slot)) != 0
}

/** Notes that a word of memory below the entry's height is overwritten, so that each exit writes it. */
export function markStale(slot: i32): void {
  if (isStale(slot)) return
  store<u8>(STALE + usize(slot), 1)
  isWidened = true
}

@inline
export function valueAt(slot: i32): usize {
  return VALUES + usize(slot) * VALUE_SIZE
}

@inline
export function slotId(slot: i32, limb: u32): u32 {
  return SLOT + (u32(slot) << 2) + limb
}

/** Starts a block: each slot below `newHeight` holds its locals. */
export function resetStack(newHeight: i32): void {
  height = newHeight
  initialized = newHeight
  initialize(lowest)
}

/** Makes the values of the slots from `first` on, as far as the block has not used them. */
function initialize(first: i32): void {
  for (; initialized > first; initialized--) {
    const slot = initialized - 1
    const value = valueAt(slot)
    const bound = boundOf(slot)
    clearValue(value, bound)
    for (let limb: u32 = 0; limb < (bound + 63) >> 6; limb++) {
      setLocal(value, limb, slotId(slot, limb))
    }
  }
}

/** Returns the word `depth` below the top. It must be in reach (`isInReach`). */
export function peek(depth: i32): usize {
  const slot = height - 1 - depth
  if (slot < lowest) {
    lowest = slot
    initialize(slot)
  }
  return valueAt(slot)
}

/** Returns true if the region can represent `taken` words below the height and `growth` above. */
export function isInReach(taken: i32, growth: i32): bool {
  return height >= taken && height + growth <= SLOTS
}

/** Moves the top word to an operand. */
export function popTo(operand: usize): void {
  memory.copy(operand, peek(0), VALUE_SIZE)
  height--
}

export function drop(): void {
  popTo(A)
  release(A)
}

/** Pushes the result. */
export function push(): void {
  memory.copy(valueAt(height), RESULT, VALUE_SIZE)
  height++
  highest = max(highest, height)
}

export function duplicate(depth: i32): void {
  memory.copy(RESULT, peek(depth), VALUE_SIZE)
  retain(RESULT)
  push()
}

/** Swaps the words at two depths. The second is the larger one: it makes both of them known. */
export function swap(near: i32, far: i32): void {
  const b = peek(far)
  const a = peek(near)
  memory.copy(A, a, VALUE_SIZE)
  memory.copy(a, b, VALUE_SIZE)
  memory.copy(b, A, VALUE_SIZE)
}

/** Rounds a bound of bits up, so that few passes settle it. */
function roundUp(bits: u32): u32 {
  if (bits <= 1) return 1
  if (bits <= 32) return 32
  return (bits + 63) & ~63
}

/** Bytes of a list of moves: ids of locals. */
const MOVES: usize = memory.data(4 * 4 * 128)

/**
 * Moves the words of all slots below the height into the slots' locals. With `context`, an instance's constants
 * (instance.ts), leaves out the slots that it knows. The moves are parallel: all values are read first.
 */
export function settleSlots(context: usize): void {
  let count: usize = 0
  for (let slot = lowest; slot < height; slot++) {
    if (context != 0 && load<u32>(context + (usize(slot) << 2)) != 0) continue
    const value = valueAt(slot)
    const bits = roundUp(bitsOf(value))
    if (bits > boundOf(slot)) {
      store<u32>(BOUNDS + (usize(slot) << 2), bits)
      isWidened = true
    }
    for (let limb: u32 = 0; limb < (boundOf(slot) + 63) >> 6; limb++) {
      const id = slotId(slot, limb)
      if (!isNumber(value, limb) && localOf(value, limb) == id) continue
      markStale(slot)
      if (limb < limbsOf(value)) getLimb(value, limb)
      else constant(0)
      store<u32>(MOVES + (count << 2), id)
      count++
    }
  }
  while (count > 0) {
    count--
    setId(load<u32>(MOVES + (count << 2)))
  }
}

/** Emits a limb of the locals of a slot. */
export function getSlotLimb(slot: i32, limb: u32): void {
  if (limb < (boundOf(slot) + 63) >> 6) getId(slotId(slot, limb))
  else constant(0)
}

/** Sets the bound of the result. */
@inline
export function boundResult(bits: u32): void {
  setBits(RESULT, bits)
}
