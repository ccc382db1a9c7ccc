import {
  constantGas,
  farDepth,
  immediateLength,
  isDefined,
  isOperand,
  nearDepth,
  opcodeLength,
  wordDepth,
  wordsLeft,
  wordsTaken,
} from '../evm/opcode'
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
import { byte, cursor, unsigned } from './bytes'
import { compute, instruct } from './call'
import { emitEqual, emitIsZero, emitLess, emitTruth, setTruth } from './condition'
import {
  AT,
  beginIf,
  beginInstance,
  continueAt,
  end,
  endInstance,
  JUMPED,
  leaveBefore,
  leaveRegion,
  RETURN_SIZE,
} from './exit'
import { applyContext, heightOf, instances, isDestination, isEntered, pcOf } from './instance'
import { BODY, BODY_SIZE, CODE } from './layout'
import { beginTemporaries, GAS, get, set } from './local'
import { beginMemory, loadWord, requireMemory, storeByte, storeWord } from './memory'
import { drop, duplicate, isInReach, peek, popTo, push, resetStack, swap } from './stack'
import {
  A,
  B,
  bitsOf,
  C,
  clearValue,
  constant,
  finishConstant,
  isConstant,
  numberOf,
  RESULT,
  release,
  setBits,
  setLimb,
  setSmallConstant,
  smallConstant,
  VALUE_SIZE,
  wordOf,
} from './value'
import * as wasm from './wasm'

/** Compiles the opcodes of a block. */

// What the compiler does with an opcode
/** It leaves the region before it. */
const LEAVES: u32 = 0
/** It emits code. Its gas is paid with that of its segment. */
const INLINE: u32 = 1
/** It calls the engine, which takes the gas. */
const CALLED: u32 = 2
/** It ends the block. */
const BRANCHES: u32 = 3

let revision: i32 = 0
/** Opcodes that the pass has compiled. */
export let opcodes: u32 = 0

export function resetOpcodes(): void {
  opcodes = 0
}

export function setRevision(value: i32): void {
  revision = value
}

@inline
function opcodeAt(pc: u32): u32 {
  return load<u8>(CODE + pc)
}

/** Returns the operand byte of DUPN, SWAPN or EXCHANGE. */
@inline
function operandAt(pc: u32): u32 {
  return load<u8>(CODE + pc + 1)
}

@inline
function takesOperand(opcode: u32): bool {
  return opcode - op.DUPN <= op.EXCHANGE - op.DUPN
}

/** Returns the offset of the opcode after the one at `pc`. */
@inline
function nextOf(pc: u32): u32 {
  return pc + opcodeLength(CODE + pc, revision)
}

/** Returns how many words the opcode at `pc` needs on the stack. */
function wordsNeeded(pc: u32): i32 {
  const opcode = opcodeAt(pc)
  if (!takesOperand(opcode)) return i32(wordsTaken(opcode))
  const operand = operandAt(pc)
  if (opcode == op.DUPN) return i32(wordDepth(operand))
  return i32(opcode == op.SWAPN ? wordDepth(operand) : farDepth(operand)) + 1
}

/** Returns what the compiler does with the opcode at `pc`. */
function treatmentOf(pc: u32): u32 {
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

/** Returns the gas of the opcodes from `pc` that nothing interrupts: a segment, paid at its start. */
function segmentGas(pc: u32): u32 {
  let gas: u32 = 0
  const start = pc
  while (true) {
    const opcode = opcodeAt(pc)
    const treatment = treatmentOf(pc)
    if (treatment == LEAVES || treatment == CALLED) return gas
    if (opcode == op.JUMPDEST && pc != start && isEntered(pc)) return gas
    gas += constantGas(opcode)
    if (treatment == BRANCHES || opcode == op.GAS) return gas
    pc = nextOf(pc)
  }
}

/** Returns true if the block at `pc` ends the frame: it runs once at most, so it is left to the interpreter. */
function isFinal(pc: u32): bool {
  const start = pc
  while (true) {
    const opcode = opcodeAt(pc)
    const treatment = treatmentOf(pc)
    if (treatment == BRANCHES) return false
    if (opcode == op.JUMPDEST && pc != start) return false
    if (treatment == LEAVES) {
      return opcode < op.CREATE || opcode == op.RETURN || opcode >= op.REVERT
    }
    pc = nextOf(pc)
  }
}

/** Reads the immediate bytes of a PUSH. */
function pushConstant(pc: u32, size: u32): void {
  const word = wordOf(RESULT)
  setWord(word, 0)
  for (let i: u32 = 0; i < size; i++) {
    store<u8>(word + usize(i), load<u8>(CODE + pc + size - i))
  }
  finishConstant(RESULT)
}

/** Computes an opcode of constant operands. Returns false for others, such as divisions, which need the engine's memory. */
function fold(opcode: u32): bool {
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
function calculate(opcode: u32): void {
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
function compileInline(opcode: u32, pc: u32, unused: u32): void {
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

/** Continues at a jump destination, or leaves if the frame ends there. */
function follow(pc: u32, isJump: bool): void {
  if (isFinal(pc)) return leaveRegion(isJump ? JUMPED : AT, pc)
  continueAt(pc, isJump)
}

function compileBranch(opcode: u32, pc: u32): void {
  const target = smallConstant(peek(0))
  const isStatic = target >= 0 && isDestination(u32(target))
  if (!isStatic) return leaveBefore(pc, constantGas(opcode))
  drop()
  if (opcode == op.JUMP) return follow(u32(target), true)
  popTo(A)
  const isDecided = isConstant(A)
  if (isDecided) {
    if (bitsOf(A) != 0) follow(u32(target), true)
    else follow(pc + 1, false)
    return
  }
  emitTruth(A)
  release(A)
  beginIf()
  follow(u32(target), true)
  end()
  follow(pc + 1, false)
}

/** Compiles an instance of a block. Returns false if the body has become too large. */
export function compileInstance(index: i32): bool {
  let pc = pcOf(index)
  const start = pc
  let unused: u32 = 0
  let isSegment = false
  beginInstance(index)
  beginTemporaries()
  beginMemory()
  resetStack(heightOf(index))
  applyContext(index)
  while (true) {
    if (cursor() > BODY + BODY_SIZE) {
      if (instances > 1) return false
      // The interpreter executes the rest of a long block
      leaveBefore(pc, unused)
      break
    }
    const opcode = opcodeAt(pc)
    const treatment = treatmentOf(pc)
    const growth = i32(wordsLeft(opcode)) - i32(wordsTaken(opcode))
    if (treatment == LEAVES || !isInReach(wordsNeeded(pc), growth)) {
      leaveBefore(pc, unused)
      break
    }
    if (opcode == op.JUMPDEST && pc != start && isEntered(pc)) {
      follow(pc, false)
      break
    }
    if (treatment == CALLED) {
      instruct(opcode, pc)
      isSegment = false
      pc++
      continue
    }
    if (!isSegment) {
      isSegment = true
      unused = segmentGas(pc)
      get(GAS)
      constant(unused)
      byte(wasm.I64_LT_S)
      beginIf()
      leaveRegion(AT, pc)
      end()
      get(GAS)
      constant(unused)
      byte(wasm.I64_SUB)
      set(GAS)
    }
    opcodes++
    if (treatment == BRANCHES) {
      compileBranch(opcode, pc)
      break
    }
    compileInline(opcode, pc, unused)
    unused -= constantGas(opcode)
    if (opcode == op.GAS) isSegment = false
    pc = nextOf(pc)
  }
  endInstance()
  return true
}
