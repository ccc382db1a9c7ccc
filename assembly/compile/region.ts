import { compileInstance, opcodes, resetOpcodes } from './block'
import { cursor, setCursor } from './bytes'
import { beginRegion, endRegion, isLoop } from './exit'
import { beginInstances, instances, MOST_INSTANCES } from './instance'
import { BODY } from './layout'
import { areLocalsFull, beginPass, clearLocals, haveLocalsChanged } from './local'
import { beginSlots, clearSlots, highest, isWidened, lowest } from './stack'

/** Passes over a region until the widths of its slots settle. */
const MOST_PASSES: i32 = 40

/**
 * Emits the region's body in one pass. Labels are right if the pass finds no new instances. Returns false if it has
 * become too large.
 */
function pass(): bool {
  setCursor(BODY)
  beginPass()
  beginSlots()
  resetOpcodes()
  beginRegion(instances)
  for (let index: i32 = 0; index < instances; index++) {
    if (!compileInstance(index)) return false
  }
  endRegion()
  return !areLocalsFull()
}

/**
 * Emits the body of the region that begins with the block at `pc`. Passes repeat until one finds nothing that an
 * earlier part of it did not know. Returns false if the region is too large.
 */
function emitRegion(pc: u32, length: u32, most: i32): bool {
  clearLocals()
  clearSlots()
  beginInstances(pc, most, length)
  for (let i: i32 = 0; i < MOST_PASSES; i++) {
    const count = instances
    const low = lowest
    const high = highest
    if (!pass()) return false
    if (count != instances || low != lowest || high != highest) continue
    if (!haveLocalsChanged() && !isWidened) return true
  }
  return false
}

/**
 * Emits the region at `pc` with at most `most` instances, or `few` if it does not loop, and returns the size of its
 * body. Returns 0 if it cannot be compiled, or has no loop and fewer than `least` opcodes. A region without a loop leaves to the next one soon enough, and large ones would overlap.
 */
export function compileRegion(pc: u32, length: u32, most: i32, few: i32, least: u32): u32 {
  let limit = min(most, MOST_INSTANCES)
  while (limit > 0) {
    if (!emitRegion(pc, length, limit)) limit >>= 1
    else if (isLoop) return u32(cursor() - BODY)
    else if (instances <= few) return opcodes < least ? 0 : u32(cursor() - BODY)
    else limit = few
  }
  return 0
}
