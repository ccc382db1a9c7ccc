import { JUMPDEST } from '../../generated/opcode'
import { REGION } from '../../generated/superinstruction'
import { CODES, CODES_END } from '../../layout'

/**
 * Compiled regions of code, by the address of their first opcode in the executable form. It is a JUMPDEST, which the
 * byte REGION replaces, or the start of the code. A counter finds hot jump destinations and hot code, and the host
 * compiles them (host/evm/engine/code-compiler.ts).
 *
 * All state is in memory and none in globals: a checkpoint of a message restores globals, but not what is compiled.
 */
const BITS: u32 = 12
const MASK: u32 = (1 << BITS) - 1
/** Most regions at a time: the index stays half empty. */
const MOST: u32 = 1 << (BITS - 1)

/** A row: address of the opcode, index in the function table (0: not worth compiling), time of the last entry. */
const ROW: usize = 12
const FUNCTION: usize = 4
const USED: usize = 8
const ROWS: usize = memory.data(12 << 12)
/** Counters of jumps by a hash of their destination, u16. Different destinations may share one. */
const COUNTERS: usize = memory.data(2 << 12)
/**
 * What the host reads and writes: the jump destination that became hot (0 if there is none), its offset, the address
 * of the code, its length, and the address of its bitmap; then, from 32 on, the number of regions, the clock of
 * entries, the number of times that all regions were dropped, and the jumps of a sample, less one.
 */
export const HOT: usize = memory.data(64)
export const HOT_SIZE: usize = 20
const COUNT: usize = HOT + 32
const CLOCK: usize = HOT + 36
const DROPS: usize = HOT + 40
const SAMPLE: usize = HOT + 44
const THRESHOLD: usize = HOT + 48

/** No jump is counted until the host says how many make a destination hot. */
store<u32>(SAMPLE, -1)

/** Counts one in `sample + 1` jumps, and asks the host to compile a destination after `threshold` of those. */
export function setHeat(sample: u32, threshold: u32): void {
  store<u32>(SAMPLE, sample)
  store<u32>(THRESHOLD, threshold)
}

/** Returns true if the jump after which `fuel` is left is one to count. */
@inline
export function isSampled(fuel: i32): bool {
  return (u32(fuel) & load<u32>(SAMPLE)) == 0
}

/** Returns true if the host compiles code. */
@inline
export function isCounting(): bool {
  return load<u32>(SAMPLE) != u32.MAX_VALUE
}

@inline
function cellOf(pc: usize): u32 {
  return (u32(pc) * 0x9e3779b1) >> (32 - BITS)
}

/** Returns the row of the region at `pc`, or the empty one where it belongs. */
function rowOf(pc: usize): usize {
  let cell = cellOf(pc)
  while (true) {
    const row = ROWS + usize(cell) * ROW
    const found: usize = load<u32>(row)
    if (found == pc || found == 0) return row
    cell = (cell + 1) & MASK
  }
}

/** Returns the index in the function table of the region at `pc`, or 0, and notes its use. */
export function functionAt(pc: usize): u32 {
  const row = rowOf(pc)
  if (load<u32>(row) == 0) return 0
  const clock = load<u32>(CLOCK) + 1
  store<u32>(CLOCK, clock)
  store<u32>(row, clock, USED)
  return load<u32>(row, FUNCTION)
}

/** Adds the region at `pc`; index 0 says that it is not to be compiled. Returns false if there are too many. */
export function addRegion(pc: usize, index: u32): bool {
  if (pc < CODES || pc >= CODES_END || load<u32>(COUNT) >= MOST) return false
  const row = rowOf(pc)
  if (load<u32>(row) == 0) store<u32>(COUNT, load<u32>(COUNT) + 1)
  store<u32>(row, u32(pc))
  store<u32>(row, index, FUNCTION)
  store<u32>(row, load<u32>(CLOCK), USED)
  if (index != 0 && load<u8>(pc) == JUMPDEST) store<u8>(pc, u8(REGION))
  return true
}

/** Removes the region at `pc`. Rows after it move up, since a search ends at an empty row. */
export function removeRegion(pc: usize): void {
  let row = rowOf(pc)
  if (load<u32>(row) == 0) return
  if (load<u8>(pc) == REGION) store<u8>(pc, u8(JUMPDEST))
  store<u32>(COUNT, load<u32>(COUNT) - 1)
  let hole = u32((row - ROWS) / ROW)
  let cell = hole
  while (true) {
    cell = (cell + 1) & MASK
    row = ROWS + usize(cell) * ROW
    const found: usize = load<u32>(row)
    if (found == 0) break
    // A row may move up to its own cell, but not before it
    if (((cell - cellOf(found)) & MASK) < ((cell - hole) & MASK)) continue
    memory.copy(ROWS + usize(hole) * ROW, row, ROW)
    hole = cell
  }
  memory.fill(ROWS + usize(hole) * ROW, 0, ROW)
}

/** Returns when the region at `pc` was last entered, as a count of entries. */
export function lastUse(pc: usize): u32 {
  return load<u32>(rowOf(pc), USED)
}

/** Drops all regions, because their code is dropped. */
export function clearRegions(): void {
  memory.fill(ROWS, 0, ROW << BITS)
  memory.fill(COUNTERS, 0, 2 << BITS)
  memory.fill(HOT, 0, HOT_SIZE)
  store<u32>(COUNT, 0)
  store<u32>(DROPS, load<u32>(DROPS) + 1)
}

/**
 * Counts a jump to `pc` of the code at `code`, or its start. Returns true if it is hot and the host is to compile it.
 * Code outside CODES is that of a creation, which runs once.
 */
export function heat(pc: usize, code: usize, bytes: usize, length: u32, bitmap: usize): bool {
  const counter = COUNTERS + (usize(cellOf(pc)) << 1)
  const count = u32(load<u16>(counter)) + 1
  if (count < load<u32>(THRESHOLD)) {
    store<u16>(counter, u16(count))
    return false
  }
  store<u16>(counter, 0)
  if (load<u32>(HOT) != 0 || pc < CODES || pc >= CODES_END || load<u32>(rowOf(pc)) != 0)
    return false
  store<u32>(HOT, u32(pc))
  store<u32>(HOT, u32(pc - code), 4)
  store<u32>(HOT, u32(bytes), 8)
  store<u32>(HOT, length, 12)
  store<u32>(HOT, u32(bitmap), 16)
  return true
}
