import { JUMP, JUMPI, PUSH1, PUSH2 } from '../../generated/opcode'
import { SUPERINSTRUCTION_COUNT, SUPERINSTRUCTION_ROWS } from '../../generated/superinstruction'
import { immediateLength, isDefined, opcodeLength } from '../opcode'
import { revision } from '../revision'

/**
 * Superinstructions: sequences that the plain loop executes as one. In the executable form of code, the fused opcode,
 * a byte that no revision assigns, replaces the first opcode of a sequence. All other bytes stay, so offsets keep
 * their meaning and a jump into the middle works. A sequence that ends in a jump is fused only if its target is a
 * valid destination.
 *
 * A fused opcode checks stack and gas of the whole sequence before it changes anything. If that fails, one of the
 * opcodes must fail; `firstFault` of interpreter.ts finds which.
 *
 * tools/tables/superinstruction.ts lists them.
 */

/** By first opcode: number of its first row, from 1; 0 if no row begins with it. */
const FIRST: usize = memory.data(256)
/** By fused opcode: number of opcodes that it replaces. */
const LENGTHS: usize = memory.data(256)

for (let row = SUPERINSTRUCTION_COUNT; row > 0; row--) {
  const at = SUPERINSTRUCTION_ROWS + ((row - 1) << 3)
  store<u8>(LENGTHS + load<u8>(at), load<u8>(at, 1))
  store<u8>(FIRST + load<u8>(at, 2), u8(row))
}

/** Returns how many opcodes the dispatched byte stands for. */
export function opcodeCount(opcode: u32): u32 {
  return max<u32>(load<u8>(LENGTHS + opcode), 1)
}

@inline
function isMarked(bitmap: usize, target: u32, length: u32): bool {
  return target < length && ((load<u8>(bitmap + (target >> 3)) >> u8(target & 7)) & 1) != 0
}

/** Returns true if the opcodes from `at` on are those of a row. A PUSH1 in the row also matches a PUSHn. */
function matches(row: usize, code: usize, at: u32, length: u32, bitmap: usize): bool {
  const count = load<u8>(row, 1)
  let previous: u32 = 0
  let start: u32 = 0
  for (let i: u32 = 0; i < count; i++) {
    if (at >= length) return false
    const opcode: u32 = load<u8>(code + at)
    const wanted: u32 = load<u8>(row + i, 2)
    if (opcode != wanted) {
      const isNear = opcode == PUSH1 && wanted == PUSH2 && i > 0
      if (!isNear) return false
    }
    if (!isDefined(opcode, revision)) return false
    if (opcode == JUMP || opcode == JUMPI) {
      const target: u32 = load<u8>(code + start, 1)
      const far = (target << 8) | load<u8>(code + start, 2)
      return isMarked(bitmap, previous == PUSH1 ? target : far, length)
    }
    previous = opcode
    start = at
    at += 1 + immediateLength(opcode)
  }
  return at <= length
}

/** Returns the longest row that the opcodes at `at` match, or 0. */
function rowAt(code: usize, at: u32, length: u32, bitmap: usize): usize {
  const opcode = load<u8>(code + at)
  const first = usize(load<u8>(FIRST + opcode))
  if (first == 0) return 0
  for (
    let row = SUPERINSTRUCTION_ROWS + ((first - 1) << 3);
    row < SUPERINSTRUCTION_ROWS + (SUPERINSTRUCTION_COUNT << 3);
    row += 8
  ) {
    if (load<u8>(row, 2) != opcode) return 0
    if (matches(row, code, at, length, bitmap)) return row
  }
  return 0
}

/** Writes fused opcodes into `out`, the executable form of `code`, whose bitmap is complete. */
export function fuse(out: usize, code: usize, length: u32, bitmap: usize): void {
  for (let at: u32 = 0; at < length; ) {
    const next = at + opcodeLength(code + at, revision)
    const row = rowAt(code, at, length, bitmap)
    if (row != 0) {
      // Prefer a longer sequence that begins with the pair's second opcode
      const rival = load<u8>(row, 1) == 2 && next < length ? rowAt(code, next, length, bitmap) : 0
      if (rival == 0 || load<u8>(rival, 1) == 2) store<u8>(out + at, load<u8>(row))
    }
    at = next
  }
}
