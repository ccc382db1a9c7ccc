import { farDepth, immediateLength, nearDepth, wordDepth, wordsTaken } from '../evm/opcode'
import * as op from '../generated/opcode'
import { byte, unsigned } from './bytes'
import { compute } from './call'
import { RETURN_SIZE } from './exit'
import { GAS, get } from './local'
import { loadWord, requireMemory, storeByte, storeWord } from './memory'
import { calculate, fold, pushConstant } from './operation'
import { drop, duplicate, popTo, push, swap } from './stack'
import { operandAt } from './treatment'
import {
  A,
  B,
  C,
  clearValue,
  isConstant,
  RESULT,
  release,
  setBits,
  setLimb,
  setSmallConstant,
} from './value'
import * as wasm from './wasm'

/** The opcodes that the compiler emits code for. */

/** Returns a bound of the bits of a value of the transaction or the block. */
function bitsOfContext(opcode: u32): u32 {
  switch (opcode) {
    case op.ADDRESS:
    case op.ORIGIN:
    case op.CALLER:
    case op.COINBASE:
      return 160
    case op.CALLDATASIZE:
      return 32
    case op.TIMESTAMP:
    case op.NUMBER:
    case op.GASLIMIT:
    case op.SLOTNUM:
      return 64
    default:
      return 256
  }
}

/** Moves an i64 of at most `bits` bits on the stack to a new word. */
function pushLimb(bits: u32): void {
  clearValue(RESULT, bits)
  setLimb(0)
  setBits(RESULT, bits)
  push()
}

/** Compiles an opcode. `unused` is the gas that its segment has paid for it and for those after it. */
export function compileInline(opcode: u32, pc: u32, unused: u32): void {
  if (opcode >= op.PUSH0 && opcode <= op.PUSH32) {
    pushConstant(pc, immediateLength(opcode))
    return push()
  }
  if (opcode >= op.DUP1 && opcode <= op.DUP16) return duplicate(i32(opcode - op.DUP1))
  if (opcode >= op.SWAP1 && opcode <= op.SWAP16) return swap(0, i32(opcode - op.SWAP1) + 1)
  switch (opcode) {
    case op.JUMPDEST:
      return
    case op.POP:
      return drop()
    case op.DUPN:
      return duplicate(i32(wordDepth(operandAt(pc))) - 1)
    case op.SWAPN:
      return swap(0, i32(wordDepth(operandAt(pc))))
    case op.EXCHANGE:
      return swap(i32(nearDepth(operandAt(pc))), i32(farDepth(operandAt(pc))))
    case op.PC:
      setSmallConstant(RESULT, pc)
      return push()
    case op.MSIZE:
      byte(wasm.GLOBAL_GET)
      unsigned(1)
      return pushLimb(64)
    case op.GAS:
      get(GAS)
      return pushLimb(64)
    case op.RETURNDATASIZE:
      byte(wasm.GLOBAL_GET)
      unsigned(RETURN_SIZE)
      byte(wasm.I64_EXTEND_I32_U)
      return pushLimb(32)
    case op.MLOAD:
      requireMemory(32, pc, unused)
      popTo(A)
      loadWord()
      release(A)
      return push()
    case op.MSTORE:
      requireMemory(32, pc, unused)
      popTo(A)
      popTo(B)
      storeWord()
      release(A)
      return release(B)
    case op.MSTORE8:
      requireMemory(1, pc, unused)
      popTo(A)
      popTo(B)
      storeByte()
      release(A)
      return release(B)
  }
  const taken = wordsTaken(opcode)
  if (taken == 0) {
    compute(opcode, 0, bitsOfContext(opcode))
    return push()
  }
  popTo(A)
  if (taken > 1) popTo(B)
  if (taken > 2) popTo(C)
  if (opcode == op.CALLDATALOAD) {
    compute(opcode, 1, 256)
  } else {
    const isKnown = isConstant(A) && (taken < 2 || isConstant(B)) && (taken < 3 || isConstant(C))
    if (!isKnown || !fold(opcode)) calculate(opcode)
  }
  release(A)
  if (taken > 1) release(B)
  if (taken > 2) release(C)
  push()
}
