import { DUPN, EXCHANGE, OPCODE_ROWS, PUSH0, PUSH1 } from '../generated/opcode'
import { AMSTERDAM } from '../generated/revision'

@inline
export function wordsTaken(opcode: u32): u32 {
  return load<u8>(OPCODE_ROWS + (opcode << 2))
}

@inline
export function wordsLeft(opcode: u32): u32 {
  return load<u8>(OPCODE_ROWS + (opcode << 2), 1)
}

/** Returns the minimum gas of the opcode, up to 255. */
@inline
export function constantGas(opcode: u32): u32 {
  return load<u8>(OPCODE_ROWS + (opcode << 2), 2)
}

/** Returns true if the revision assigns the opcode. */
@inline
export function isDefined(opcode: u32, revision: i32): bool {
  const since = i32(load<u8>(OPCODE_ROWS + (opcode << 2), 3))
  return since != 0 && since <= revision + 1
}

/** Returns the number of immediate bytes after the opcode: 1 to 32 for PUSH1 to PUSH32. */
@inline
export function immediateLength(opcode: u32): u32 {
  return opcode - PUSH1 < 32 ? opcode - PUSH0 : 0
}

/** Returns true if DUPN, SWAPN or EXCHANGE allows the operand: others would be jump destinations or pushes (EIP-8024). */
export function isOperand(opcode: u32, operand: u32): bool {
  const first: u32 = opcode == EXCHANGE ? 82 : 91
  return operand < first || operand > 127
}

/** Returns the depth in words that the operand of DUPN or SWAPN stands for (EIP-8024). */
@inline
export function wordDepth(operand: u32): usize {
  return usize((operand + 145) & 255)
}

/** Returns the depth in words of the first of the two that EXCHANGE swaps, by its operand (EIP-8024). */
@inline
export function nearDepth(operand: u32): usize {
  const pair = usize(operand) ^ 143
  return min(pair >> 4, pair & 15) + 1
}

/** Returns the depth in words of the second. */
@inline
export function farDepth(operand: u32): usize {
  const pair = usize(operand) ^ 143
  const row = pair >> 4
  const column = pair & 15
  return row < column ? column + 1 : 29 - row
}

/** Returns the bytes from the opcode at `at` of padded code to the next opcode that can run. */
export function opcodeLength(at: usize, revision: i32): u32 {
  const opcode = u32(load<u8>(at))
  const takesOperand = opcode - DUPN <= EXCHANGE - DUPN && revision >= AMSTERDAM
  if (takesOperand && isOperand(opcode, load<u8>(at, 1))) return 2
  return 1 + immediateLength(opcode)
}
