import { compileInstance } from './block'
import { cursor, setCursor } from './bytes'
import { beginRegion, endRegion } from './exit'
import { beginInstances, instances, MOST_INSTANCES } from './instance'
import { BODY } from './layout'
import { areLocalsFull, beginPass, clearLocals, haveLocalsChanged } from './local'
import { beginSlots, clearSlots, highest, isWidened, lowest } from './stack'

/** Passes over a region until the widths of its slots settle. */
const MOST_PASSES: i32 = 40

/**
 * Emits the region's body in one pass. A pass lays out the instances that it starts with, and finds new ones. Returns
 * false if it has become too large.
 */
function pass(): bool {
  setCursor(BODY)
  beginPass()
  beginSlots()
  const count = instances
  beginRegion(count)
  for (let index: i32 = 0; index < count; index++) {
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

/** Emits the largest region at `pc` within the limits, and returns the size of its body, or 0. */
export function compileRegion(pc: u32, length: u32, most: i32): u32 {
  for (let limit = min(most, MOST_INSTANCES); limit > 0; limit >>= 1) {
    if (emitRegion(pc, length, limit)) return u32(cursor() - BODY)
  }
  return 0
}
