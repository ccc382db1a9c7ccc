import { immediateLength, isDefined } from './opcode'
import { revision } from './revision'

/**
 * Superinstructions: sequences that the plain loop executes as one. The executable form of code has
 * the fused opcode, a byte that no revision assigns, in place of the first opcode of a sequence;
 * all other bytes stay, so that offsets mean the same and a jump into the middle finds what it
 * expects. A sequence that ends in a jump is fused only when its target is a valid destination.
 *
 * A fused opcode checks stack and gas of the whole sequence before it changes anything. Where that
 * fails, one of the opcodes must fail, and `firstFault` of interpreter.ts finds which.
 *
 * Rows of eight bytes: the fused opcode, how many opcodes it stands for, and these. Rows with the
 * same first opcode are together, longest first. bench/engine.md says what they gave.
 */
// biome-ignore format: rows of a table
const ROWS: usize = memory.data<u8>([
  0xc1, 3, 0x01, 0x90, 0x50, 0, 0, 0, // ADD SWAP1 POP
  0xc0, 2, 0x01, 0x51, 0, 0, 0, 0, // ADD MLOAD
  0x4e, 4, 0x10, 0x15, 0x61, 0x57, 0, 0, // LT ISZERO PUSHn JUMPI
  0x4d, 3, 0x10, 0x61, 0x57, 0, 0, 0, // LT PUSHn JUMPI
  0xa5, 4, 0x11, 0x15, 0x61, 0x57, 0, 0, // GT ISZERO PUSHn JUMPI
  0x4f, 3, 0x11, 0x61, 0x57, 0, 0, 0, // GT PUSHn JUMPI
  0xa7, 4, 0x12, 0x15, 0x61, 0x57, 0, 0, // SLT ISZERO PUSHn JUMPI
  0xa6, 3, 0x14, 0x61, 0x57, 0, 0, 0, // EQ PUSHn JUMPI
  0xaa, 4, 0x15, 0x15, 0x61, 0x57, 0, 0, // ISZERO ISZERO PUSHn JUMPI
  0xa9, 3, 0x15, 0x61, 0x57, 0, 0, 0, // ISZERO PUSHn JUMPI
  0xc2, 2, 0x16, 0x17, 0, 0, 0, 0, // AND OR
  0xbe, 2, 0x50, 0x50, 0, 0, 0, 0, // POP POP
  0x2b, 6, 0x60, 0x81, 0x10, 0x15, 0x61, 0x57, // PUSH1 DUP2 LT ISZERO PUSHn JUMPI
  0x2a, 5, 0x60, 0x81, 0x10, 0x61, 0x57, 0, // PUSH1 DUP2 LT PUSHn JUMPI
  0x2c, 5, 0x60, 0x81, 0x14, 0x61, 0x57, 0, // PUSH1 DUP2 EQ PUSHn JUMPI
  0x25, 5, 0x60, 0x60, 0x60, 0x1b, 0x03, 0, // PUSH1 PUSH1 PUSH1 SHL SUB
  0x2d, 3, 0x60, 0x80, 0x51, 0, 0, 0, // PUSH1 DUP1 MLOAD
  0xc3, 3, 0x60, 0x1c, 0x16, 0, 0, 0, // PUSH1 SHR AND
  0x24, 2, 0x60, 0x57, 0, 0, 0, 0, // PUSH1 JUMPI
  0x23, 2, 0x60, 0x56, 0, 0, 0, 0, // PUSH1 JUMP
  0x0c, 2, 0x60, 0x01, 0, 0, 0, 0, // PUSH1 ADD
  0x0f, 2, 0x60, 0x02, 0, 0, 0, 0, // PUSH1 MUL
  0x1f, 2, 0x60, 0x16, 0, 0, 0, 0, // PUSH1 AND
  0x0d, 2, 0x60, 0x1b, 0, 0, 0, 0, // PUSH1 SHL
  0x0e, 2, 0x60, 0x1c, 0, 0, 0, 0, // PUSH1 SHR
  0x21, 2, 0x60, 0x51, 0, 0, 0, 0, // PUSH1 MLOAD
  0x22, 2, 0x60, 0x52, 0, 0, 0, 0, // PUSH1 MSTORE
  0x27, 2, 0x60, 0x60, 0, 0, 0, 0, // PUSH1 PUSH1
  0x28, 2, 0x60, 0x80, 0, 0, 0, 0, // PUSH1 DUP1
  0x29, 2, 0x60, 0x81, 0, 0, 0, 0, // PUSH1 DUP2
  0x4b, 2, 0x61, 0x57, 0, 0, 0, 0, // PUSH2 JUMPI
  0x2f, 2, 0x61, 0x56, 0, 0, 0, 0, // PUSH2 JUMP
  0xc5, 5, 0x80, 0x63, 0x14, 0x61, 0x57, 0, // DUP1 PUSH4 EQ PUSHn JUMPI
  0xab, 4, 0x80, 0x15, 0x61, 0x57, 0, 0, // DUP1 ISZERO PUSHn JUMPI
  0xaf, 2, 0x80, 0x51, 0, 0, 0, 0, // DUP1 MLOAD
  0xad, 5, 0x81, 0x15, 0x15, 0x61, 0x57, 0, // DUP2 ISZERO ISZERO PUSHn JUMPI
  0xac, 5, 0x81, 0x10, 0x15, 0x61, 0x57, 0, // DUP2 LT ISZERO PUSHn JUMPI
  0xae, 2, 0x81, 0x52, 0, 0, 0, 0, // DUP2 MSTORE
  0xb0, 2, 0x81, 0x01, 0, 0, 0, 0, // DUP2 ADD
  0xb4, 2, 0x81, 0x81, 0, 0, 0, 0, // DUP2 DUP2
  0xb1, 2, 0x82, 0x16, 0, 0, 0, 0, // DUP3 AND
  0xb2, 2, 0x83, 0x16, 0, 0, 0, 0, // DUP4 AND
  0xb8, 2, 0x90, 0x50, 0, 0, 0, 0, // SWAP1 POP
  0xbf, 2, 0x90, 0x52, 0, 0, 0, 0, // SWAP1 MSTORE
  0xb9, 2, 0x91, 0x50, 0, 0, 0, 0, // SWAP2 POP
  0xba, 2, 0x92, 0x50, 0, 0, 0, 0, // SWAP3 POP
  0xbb, 2, 0x93, 0x50, 0, 0, 0, 0, // SWAP4 POP
  0xbc, 2, 0x94, 0x50, 0, 0, 0, 0, // SWAP5 POP
])
const COUNT: usize = 48

const JUMP: u32 = 0x56
const JUMPI: u32 = 0x57
const PUSH1: u32 = 0x60
const PUSH2: u32 = 0x61
/** PUSH2 JUMPI: in the executable form it stands at the push of every fused branch to a far target. */
export const FAR_BRANCH: u8 = 0x4b

/** By first opcode: number of its first row, from 1; 0 when no row begins with it. */
const FIRST: usize = memory.data(256)
/** By fused opcode: how many opcodes it stands for. */
const LENGTHS: usize = memory.data(256)

for (let row = COUNT; row > 0; row--) {
  const at = ROWS + ((row - 1) << 3)
  store<u8>(LENGTHS + load<u8>(at), load<u8>(at, 1))
  store<u8>(FIRST + load<u8>(at, 2), u8(row))
}

/** How many opcodes one that the loop dispatched on stands for. */
export function opcodeCount(opcode: u32): u32 {
  return max<u32>(load<u8>(LENGTHS + opcode), 1)
}

@inline
function isMarked(bitmap: usize, target: u32, length: u32): bool {
  return target < length && ((load<u8>(bitmap + (target >> 3)) >> u8(target & 7)) & 1) != 0
}

/** True when the opcodes from `at` on are those of a row; a PUSH1 may stand for the PUSHn. */
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

/** The longest row that the opcodes at `at` match, 0 for none. */
function rowAt(code: usize, at: u32, length: u32, bitmap: usize): usize {
  const opcode = load<u8>(code + at)
  const first = usize(load<u8>(FIRST + opcode))
  if (first == 0) return 0
  for (let row = ROWS + ((first - 1) << 3); row < ROWS + (COUNT << 3); row += 8) {
    if (load<u8>(row, 2) != opcode) return 0
    if (matches(row, code, at, length, bitmap)) return row
  }
  return 0
}

/** Puts fused opcodes into `out`, the executable form of `code`, whose bitmap is complete. */
export function fuse(out: usize, code: usize, length: u32, bitmap: usize): void {
  for (let at: u32 = 0; at < length; ) {
    const next = at + 1 + immediateLength(load<u8>(code + at))
    const row = rowAt(code, at, length, bitmap)
    if (row != 0) {
      // A pair gives way to a longer sequence that begins with its second opcode
      const rival = load<u8>(row, 1) == 2 && next < length ? rowAt(code, next, length, bitmap) : 0
      if (rival == 0 || load<u8>(rival, 1) == 2) store<u8>(out + at, load<u8>(row))
    }
    at = next
  }
}
