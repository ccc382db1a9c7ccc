import { farDepth, isDefined, isOperand, opcodeLength, wordDepth, wordsTaken } from '../evm/opcode'
import * as op from '../generated/opcode'
import { CODE } from './layout'

/** The opcodes of the code, and what the compiler does with each. */

// What the compiler does with an opcode
/** It leaves the region before it. */
export const LEAVES: u32 = 0
/** It emits code. Its gas is paid with that of its segment. */
export const INLINE: u32 = 1
/** It calls the engine, which takes the gas. */
export const CALLED: u32 = 2
/** It ends the block. */
export const BRANCHES: u32 = 3

let revision: i32 = 0
export function setRevision(value: i32): void {
  revision = value
}

@inline
export function opcodeAt(pc: u32): u32 {
  return load<u8>(CODE + pc)
}

/** Returns the operand byte of DUPN, SWAPN or EXCHANGE. */
@inline
export function operandAt(pc: u32): u32 {
  return load<u8>(CODE + pc + 1)
}

@inline
function takesOperand(opcode: u32): bool {
  return opcode - op.DUPN <= op.EXCHANGE - op.DUPN
}

/** Returns the offset of the opcode after the one at `pc`. */
@inline
export function nextOf(pc: u32): u32 {
  return pc + opcodeLength(CODE + pc, revision)
}

/** Returns how many words the opcode at `pc` needs on the stack. */
export function wordsNeeded(pc: u32): i32 {
  const opcode = opcodeAt(pc)
  if (!takesOperand(opcode)) return i32(wordsTaken(opcode))
  const operand = operandAt(pc)
  if (opcode == op.DUPN) return i32(wordDepth(operand))
  return i32(opcode == op.SWAPN ? wordDepth(operand) : farDepth(operand)) + 1
}

/** Returns what the compiler does with the opcode at `pc`. */
export function treatmentOf(pc: u32): u32 {
  const opcode = opcodeAt(pc)
  if (!isDefined(opcode, revision)) return LEAVES
  if (takesOperand(opcode)) return isOperand(opcode, operandAt(pc)) ? INLINE : LEAVES
  if (opcode == op.JUMP || opcode == op.JUMPI) return BRANCHES
  if (opcode >= op.PUSH0 && opcode <= op.SWAP16) return INLINE
  if (opcode >= op.LOG0 && opcode <= op.LOG4) return CALLED
  switch (opcode) {
    case op.EXP:
    case op.KECCAK256:
    case op.BALANCE:
    case op.CALLDATACOPY:
    case op.CODECOPY:
    case op.EXTCODESIZE:
    case op.EXTCODECOPY:
    case op.RETURNDATACOPY:
    case op.EXTCODEHASH:
    case op.BLOCKHASH:
    case op.BLOBHASH:
    case op.SLOAD:
    case op.SSTORE:
    case op.TLOAD:
    case op.TSTORE:
    case op.MCOPY:
      return CALLED
    case op.ADD:
    case op.MUL:
    case op.SUB:
    case op.DIV:
    case op.SDIV:
    case op.MOD:
    case op.SMOD:
    case op.ADDMOD:
    case op.MULMOD:
    case op.SIGNEXTEND:
    case op.LT:
    case op.GT:
    case op.SLT:
    case op.SGT:
    case op.EQ:
    case op.ISZERO:
    case op.AND:
    case op.OR:
    case op.XOR:
    case op.NOT:
    case op.BYTE:
    case op.SHL:
    case op.SHR:
    case op.SAR:
    case op.CLZ:
    case op.ADDRESS:
    case op.ORIGIN:
    case op.CALLER:
    case op.CALLVALUE:
    case op.CALLDATALOAD:
    case op.CALLDATASIZE:
    case op.CODESIZE:
    case op.GASPRICE:
    case op.RETURNDATASIZE:
    case op.COINBASE:
    case op.TIMESTAMP:
    case op.NUMBER:
    case op.PREVRANDAO:
    case op.GASLIMIT:
    case op.CHAINID:
    case op.SELFBALANCE:
    case op.BASEFEE:
    case op.BLOBBASEFEE:
    case op.SLOTNUM:
    case op.POP:
    case op.MLOAD:
    case op.MSTORE:
    case op.MSTORE8:
    case op.PC:
    case op.MSIZE:
    case op.GAS:
    case op.JUMPDEST:
      return INLINE
    default:
      return LEAVES
  }
}
