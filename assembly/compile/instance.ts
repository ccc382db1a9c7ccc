import { BITMAP, INSTANCES } from './layout'
import { height, LOW, lowest, SLOTS, valueAt } from './stack'
import { setSmallConstant, smallConstant } from './value'

/**
 * Instances of blocks: a block, the height at which it is entered, and the jump destinations that are known to be on
 * the stack then. So a function that several blocks call, with their return addresses on the stack, has an instance
 * for each, and its return is a static jump.
 */
const PC: usize = 0
const HEIGHT: usize = 4
/** By slot: the known number plus one, or 0. */
const CONTEXT: usize = 16
const SIZE: usize = CONTEXT + 4 * usize(SLOTS)
/** The context of the stack at an edge. */
const WANTED: usize = memory.data(4 * 128)

export const MOST_INSTANCES: i32 = 192

export let instances: i32 = 0
/** Number of instances at which jumps to new ones leave the region. */
let limit: i32 = 0
let codeLength: u32 = 0

@inline
function at(index: i32): usize {
  return INSTANCES + usize(index) * SIZE
}

export function pcOf(index: i32): u32 {
  return load<u32>(at(index), PC)
}

export function heightOf(index: i32): i32 {
  return load<i32>(at(index), HEIGHT)
}

export function contextOf(index: i32): usize {
  return at(index) + CONTEXT
}

export function isDestination(pc: u32): bool {
  return pc < codeLength && ((load<u8>(BITMAP + (pc >> 3)) >> u8(pc & 7)) & 1) != 0
}

function addInstance(pc: u32, entered: i32): i32 {
  const instance = at(instances)
  store<u32>(instance, pc, PC)
  store<i32>(instance, entered, HEIGHT)
  memory.copy(instance + CONTEXT, WANTED, 4 * usize(SLOTS))
  return instances++
}

/** Starts a region with the block at `pc`. */
export function beginInstances(pc: u32, most: i32, length: u32): void {
  instances = 0
  limit = most
  codeLength = length
  memory.fill(WANTED, 0, 4 * usize(SLOTS))
  addInstance(pc, LOW)
}

/** Returns true if every number that the instance knows is on the stack. */
function accepts(context: usize, isExact: bool): bool {
  for (let i: usize = 0; i < 4 * usize(SLOTS); i += 4) {
    const known = load<u32>(context + i)
    if (known != load<u32>(WANTED + i) && (isExact || known != 0)) return false
  }
  return true
}

function find(pc: u32, isExact: bool): i32 {
  for (let index: i32 = 0; index < instances; index++) {
    if (pcOf(index) != pc || heightOf(index) != height) continue
    if (accepts(contextOf(index), isExact)) return index
  }
  return -1
}

/** Returns true if a jump of the region goes to the JUMPDEST at `pc`. Others do not end a block. */
export function isEntered(pc: u32): bool {
  for (let index: i32 = 0; index < instances; index++) if (pcOf(index) == pc) return true
  return false
}

/** Returns the instance of the block at `pc` for the stack as it is, or -1 if the region is full. */
export function instanceOf(pc: u32): i32 {
  memory.fill(WANTED, 0, 4 * usize(SLOTS))
  for (let slot = lowest; slot < height; slot++) {
    const number = smallConstant(valueAt(slot))
    if (number < 0 || !isDestination(u32(number))) continue
    store<u32>(WANTED + (usize(slot) << 2), u32(number) + 1)
  }
  const exact = find(pc, true)
  if (exact >= 0) return exact
  const known = find(pc, false)
  if (known >= 0 && instances >= limit) return known
  return instances < limit ? addInstance(pc, height) : -1
}

/** Puts the numbers that an instance knows on the stack of its block. */
export function applyContext(index: i32): void {
  const context = contextOf(index)
  for (let slot = lowest; slot < heightOf(index); slot++) {
    const known = load<u32>(context + (usize(slot) << 2))
    if (known != 0) setSmallConstant(valueAt(slot), known - 1)
  }
}
