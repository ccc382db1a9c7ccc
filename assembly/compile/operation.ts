import * as op from '../generated/opcode'
import { multiply } from '../u256/multiply'
import {
  byteAt as byteOfWord,
  extendSign as extendWord,
  shiftLeft as shiftWordLeft,
  shiftRight as shiftWordRight,
  shiftRightSigned as shiftWordSigned,
} from '../u256/shift'
import {
  addWords,
  copyWord,
  equalWords,
  isLess,
  isLessSigned,
  isPowerOfTwo,
  isZero,
  setWord,
  subtractWords,
} from '../u256/word'
import { add, calculateShort, divideLimbs, multiplyLimbs, subtract } from './arithmetic'
import {
  and,
  byteAt,
  extendSign,
  invert,
  shiftLeft,
  shiftRight,
  shiftRightSigned,
  unite,
} from './bits'
import { compute } from './call'
import { emitEqual, emitIsZero, emitLess, setTruth } from './condition'
import { CODE } from './layout'
import {
  A,
  B,
  bitsOf,
  C,
  finishConstant,
  isConstant,
  numberOf,
  RESULT,
  setSmallConstant,
  VALUE_SIZE,
  wordOf,
} from './value'
import * as wasm from './wasm'

/** Opcodes that compute a word of words. */

/** Reads the immediate bytes of a PUSH. */
export function pushConstant(pc: u32, size: u32): void {
  const word = wordOf(RESULT)
  setWord(word, 0)
  for (let i: u32 = 0; i < size; i++) {
    store<u8>(word + usize(i), load<u8>(CODE + pc + size - i))
  }
  finishConstant(RESULT)
}

/** Computes an opcode of constant operands. Returns false for others, such as divisions, which need the engine's memory. */
export function fold(opcode: u32): bool {
  const a = wordOf(A)
  const b = wordOf(B)
  const out = wordOf(RESULT)
  switch (opcode) {
    case op.ADD:
      addWords(out, a, b)
      break
    case op.MUL:
      multiply(out, a, b)
      break
    case op.SUB:
      subtractWords(out, a, b)
      break
    case op.SIGNEXTEND:
      copyWord(out, b)
      extendWord(out, a)
      break
    case op.LT:
      setWord(out, u64(isLess(a, b)))
      break
    case op.GT:
      setWord(out, u64(isLess(b, a)))
      break
    case op.SLT:
      setWord(out, u64(isLessSigned(a, b)))
      break
    case op.SGT:
      setWord(out, u64(isLessSigned(b, a)))
      break
    case op.EQ:
      setWord(out, u64(equalWords(a, b)))
      break
    case op.ISZERO:
      setWord(out, u64(isZero(a)))
      break
    case op.BYTE:
      byteOfWord(out, a, b)
      break
    case op.SHL:
      shiftWordLeft(out, a, b)
      break
    case op.SHR:
      shiftWordRight(out, a, b)
      break
    case op.SAR:
      shiftWordSigned(out, a, b)
      break
    default:
      return false
  }
  finishConstant(RESULT)
  return true
}

/** Returns the count of a shift or the index of a byte if it is constant, at most 256; else -1. */
function constantCount(): i32 {
  if (!isConstant(A)) return -1
  return bitsOf(A) > 8 ? 256 : i32(numberOf(A, 0))
}

/** Returns the exponent of a constant power of two, or -1. */
function exponentOf(value: usize): i32 {
  return isConstant(value) && isPowerOfTwo(wordOf(value)) ? i32(bitsOf(value)) - 1 : -1
}

/** Moves A to B in place of a constant. */
function replaceConstant(): void {
  memory.copy(B, A, VALUE_SIZE)
  setSmallConstant(A, 0)
}

/** Computes a product, quotient or remainder by a constant power of two. Returns false if neither operand is one. */
function calculatePower(opcode: u32): bool {
  if (opcode == op.MUL && isConstant(A)) {
    const exponent = exponentOf(A)
    if (exponent >= 0) shiftLeft(u32(exponent))
    return exponent >= 0
  }
  const exponent = exponentOf(B)
  if (exponent < 0) return false
  if (opcode == op.MOD) {
    const mask = wordOf(RESULT)
    setWord(mask, 1)
    subtractWords(wordOf(B), wordOf(B), mask)
    finishConstant(B)
    and()
    return true
  }
  replaceConstant()
  if (opcode == op.MUL) shiftLeft(u32(exponent))
  else shiftRight(u32(exponent))
  return true
}

/** Computes an opcode of the operands that it has taken. */
export function calculate(opcode: u32): void {
  if ((opcode == op.MUL || opcode == op.DIV || opcode == op.MOD) && calculatePower(opcode)) return
  const count = constantCount()
  switch (opcode) {
    case op.ADD:
      return add()
    case op.SUB:
      return subtract()
    case op.MUL:
      if (multiplyLimbs()) return
      return calculateShort(opcode, bitsOf(A) + bitsOf(B))
    case op.DIV:
      if (divideLimbs(false)) return
      return calculateShort(opcode, bitsOf(A))
    case op.MOD:
      if (divideLimbs(true)) return
      return calculateShort(opcode, min(bitsOf(A), bitsOf(B)))
    case op.SDIV:
    case op.SMOD:
      return calculateShort(opcode, 256)
    case op.LT:
      emitLess(A, B, false)
      return setTruth()
    case op.GT:
      emitLess(B, A, false)
      return setTruth()
    case op.SLT:
      emitLess(A, B, true)
      return setTruth()
    case op.SGT:
      emitLess(B, A, true)
      return setTruth()
    case op.EQ:
      emitEqual(A, B)
      return setTruth()
    case op.ISZERO:
      emitIsZero(A)
      return setTruth()
    case op.AND:
      return and()
    case op.OR:
      return unite(wasm.I64_OR)
    case op.XOR:
      return unite(wasm.I64_XOR)
    case op.NOT:
      return invert()
    case op.BYTE:
      if (count >= 0) return byteAt(u32(count))
      return compute(opcode, 2, 8)
    case op.SHL:
      if (count >= 0) return shiftLeft(u32(count))
      break
    case op.SHR:
      if (count >= 0) return shiftRight(u32(count))
      return compute(opcode, 2, bitsOf(B))
    case op.SAR:
      if (count >= 0) return shiftRightSigned(u32(count))
      break
    case op.SIGNEXTEND:
      if (count >= 0) return extendSign(u32(count))
      break
    case op.CLZ:
      return compute(opcode, 1, 16)
    case op.ADDMOD:
    case op.MULMOD:
      return compute(opcode, 3, bitsOf(C))
  }
  compute(opcode, 2, 256)
}
