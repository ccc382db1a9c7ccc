import {
  INVALID_JUMP,
  INVALID_OPCODE,
  NONE,
  OUT_OF_GAS,
  REVERTED,
  STACK_OVERFLOW,
  STACK_UNDERFLOW,
} from '../../generated/fault'
import { STACK_WORDS } from '../../generated/limit'
import * as op from '../../generated/opcode'
import { TRACE_FULL, YIELD } from '../../generated/status'
import * as fused from '../../generated/superinstruction'
import { LOOP_WORDS, REGION_EXIT } from '../../layout'
import {
  dropStep,
  emitStep,
  isDrainDue,
  keepsMemory,
  notePause,
  setStepCost,
  setStepFault,
  stepsLeft,
} from '../../trace/trace-buffer'
import { copyBytes } from '../../u256/bytes'
import { addModulo, divide, divideSigned, modulo, moduloSigned } from '../../u256/divide'
import { multiplyModulo } from '../../u256/modulus'
import { multiply, multiplyHigh } from '../../u256/multiply'
import { byteAt, extendSign, shiftLeft, shiftRight, shiftRightSigned } from '../../u256/shift'
import {
  addWords,
  bitLength,
  copyWord,
  equalWords,
  fitsLimb,
  isLess,
  isLessSigned,
  isZero,
  readAddress,
  readBytes,
  saturate,
  setWord,
  subtractWords,
  writeBytes,
} from '../../u256/word'
import * as block from '../context/block'
import { GAS_PRICE, ORIGIN } from '../context/message-layout'
import {
  BITMAP,
  CALLER,
  CODE_BYTES,
  CODE_LENGTH,
  depth,
  EXECUTABLE,
  GAS,
  INPUT,
  INPUT_SIZE,
  leave,
  PC,
  refund,
  SELF,
  SP,
  STACK,
  suspend,
  top,
  VALUE,
} from '../frame/frame'
import { settle } from '../frame/precompile-frame'
import { runOutOfLine } from '../instruction/out-of-line'
import * as ending from '../machine/ending'
import { takeSpentFuel } from '../machine/fuel'
import * as evmMemory from '../machine/memory'
import * as registers from '../machine/registers'
import {
  constantGas,
  farDepth,
  immediateLength,
  isDefined,
  isOperand,
  nearDepth,
  wordDepth,
  wordsLeft,
  wordsTaken,
} from '../opcode'
import { revision } from '../revision'
import { DRAIN, END, NEXT, pending, SWITCH, WORKED } from '../signal'
import { BALANCE } from '../state/account'
import { markStep, undoStep } from '../state/peek'
import { functionAt, heat, isCounting, isSampled } from '../state/region'
import { opcodeCount } from '../state/superinstruction'
import { runRegions } from './compiled'
import { traceWrite } from './memory-trace'
import { failedStepCost } from './step-cost'

/** Type arguments of `interpret`. The loop is compiled once for each, so it never tests the mode at run time. */
export type Plain = u8
export type Traced = i8

/** A signal internal to the loop: `pc` is at the JUMPDEST of a jump. */
const JUMPED = 3

/** Bit of a fault's detail: found while the opcode executes, not by the check of the stack before it. */
const WHILE_EXECUTING: u64 = 1 << 62

/** Bytes of a full stack. */
const FULL: usize = STACK_WORDS * 32

@inline
function isTraced<Mode>(): bool {
  return isSigned<Mode>()
}

/** Returns true if the word at `sp` is a valid jump destination of the running code. */
@inline
function isDestination(frame: usize, sp: usize): bool {
  const target = load<u64>(sp)
  if (!fitsLimb(sp) || target >= u64(load<u32>(frame, CODE_LENGTH))) return false
  const bits = load<u8>(usize(load<u32>(frame, BITMAP)) + usize(target >> 3))
  return ((bits >> u8(target & 7)) & 1) != 0
}

/** Loads `n` bytes, 1 to 8, as a big-endian number. */
@inline
function loadBytes(at: usize, n: usize): u64 {
  return bswap(load<u64>(at)) >> (64 - (u64(n) << 3))
}

/** Loads the `n` immediate bytes after `pc` as the word at `out`. */
@inline
function pushBytes(out: usize, pc: usize, n: usize): void {
  const end = pc + 1 + n
  if (n <= 8) {
    setWord(out, loadBytes(pc + 1, n))
  } else {
    store<u64>(out, bswap(load<u64>(end - 8)))
    if (n <= 16) {
      store<u64>(out, loadBytes(pc + 1, n - 8), 8)
      store<u64>(out, 0, 16)
      store<u64>(out, 0, 24)
    } else {
      store<u64>(out, bswap(load<u64>(end - 16)), 8)
      if (n <= 24) {
        store<u64>(out, loadBytes(pc + 1, n - 16), 16)
        store<u64>(out, 0, 24)
      } else {
        store<u64>(out, bswap(load<u64>(end - 24)), 16)
        store<u64>(out, loadBytes(pc + 1, n - 24), 24)
      }
    }
  }
}

@inline
function swapWords(a: usize, b: usize): void {
  const a0 = load<u64>(a)
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  const a3 = load<u64>(a, 24)
  copyWord(a, b)
  store<u64>(b, a0)
  store<u64>(b, a1, 8)
  store<u64>(b, a2, 16)
  store<u64>(b, a3, 24)
}

/** CALLDATALOAD: replaces the offset at `sp` by the 32 bytes there, with zeros past the end. */
function loadInput(sp: usize, input: usize, size: u32): void {
  const offset = saturate(sp)
  if (offset + 32 <= u64(size) && offset < u64(size)) return readBytes(sp, input + usize(offset))
  setWord(LOOP_WORDS, 0)
  if (offset < u64(size)) copyBytes(LOOP_WORDS, input + usize(offset), usize(u64(size) - offset))
  readBytes(sp, LOOP_WORDS)
}

/** Returns true if `size` bytes at the offset on top of the stack lie within the current memory. */
@inline
function isInMemory(sp: usize, size: u64): bool {
  const offset = load<u64>(sp)
  return fitsLimb(sp) && offset < 0xffffffff && offset + size <= evmMemory.memorySize
}

/** Reads the byte from the original code, because the executable form may hold INVALID instead. */
function invalidOpcode(frame: usize, offset: usize): i32 {
  const bytes: usize = load<u32>(frame, CODE_BYTES)
  return ending.failWith(INVALID_OPCODE, load<u8>(bytes + offset))
}

/** Returns the operand of DUPN, SWAPN or EXCHANGE at an offset. The executable form may hold another byte there. */
@inline
function operandAt(frame: usize, offset: usize): u32 {
  return u32(load<u8>(usize(load<u32>(frame, CODE_BYTES)) + offset, 1))
}

/** Returns NEXT if the operand is allowed and the stack has the `taken` words that it needs; else ends the frame. */
function operandFault(opcode: u32, frame: usize, offset: usize, height: u32, taken: usize): i32 {
  const operand = operandAt(frame, offset)
  if (!isOperand(opcode, operand)) {
    return ending.failWith(INVALID_OPCODE, 0x10000 | u64(operand << 8) | u64(opcode))
  }
  if (usize(height) >= taken) return NEXT
  return ending.failWith(STACK_UNDERFLOW, WHILE_EXECUTING | (u64(height) << 32) | u64(taken))
}

/**
 * Finds the first of the `count` opcodes at `at` that cannot run, and its fault, in the order of geth's checks. None
 * of them has taken effect. If stack and constant gas suffice for all, the dynamic gas of the last did not.
 */
function firstFault(at: usize, count: u32, height: u32, gas: i64): i32 {
  for (; count > 0; count--) {
    const opcode: u32 = load<u8>(at)
    const taken = wordsTaken(opcode)
    if (height < taken) return ending.failWith(STACK_UNDERFLOW, (u64(height) << 32) | u64(taken))
    const left = height + wordsLeft(opcode) - taken
    if (left > u32(STACK_WORDS)) return ending.failWith(STACK_OVERFLOW, u64(height))
    gas -= i64(constantGas(opcode))
    if (gas < 0) break
    height = left
    at += 1 + immediateLength(opcode)
  }
  return ending.failWith(OUT_OF_GAS)
}

/** Counts a jump to `pc`. Returns true if the host is to compile the code there. */
function isHot(frame: usize, code: usize, pc: usize): bool {
  const bytes: usize = load<u32>(frame, CODE_BYTES)
  const bitmap: usize = load<u32>(frame, BITMAP)
  return heat(pc, code, bytes, load<u32>(frame, CODE_LENGTH), bitmap)
}

/**
 * Acts on the signal with which a region ended at the start of a run of the frame, as the loop does. Returns the status
 * to stop with, or -1. NEXT says that the fuel is used up.
 */
function leaveRegion(signal: i32, offset: usize, sp: usize, gas: i64): i32 {
  if (signal == END) {
    leaveFrame()
  } else if (signal == DRAIN || signal == WORKED) {
    suspend(offset + 1, registers.sp, registers.gas)
    if (signal == DRAIN) return TRACE_FULL
  } else if (signal != SWITCH) {
    suspend(offset, sp, gas)
    return signal == NEXT ? YIELD : pending
  }
  return -1
}

/** Ends the running frame according to machine/ending.ts. */
function leaveFrame(): void {
  leave(ending.fault, ending.faultDetail, ending.output, ending.outputSize, registers.gas)
}

/**
 * Returns true if the branch whose push is at `pc` has a two-byte target. In the executable form PUSH2 JUMPI replaces
 * the push of every fused branch to a far target.
 */
@inline
function isFar(pc: usize): bool {
  return load<u8>(pc) == fused.PUSH2_JUMPI
}

/** Returns the size of the fused branch at `pc`: PUSH1 JUMPI or PUSH2 JUMPI. */
@inline
function branchLength(pc: usize): usize {
  return isFar(pc) ? 4 : 3
}

/** Returns the target of the fused branch at `pc`. */
@inline
function branchTarget(pc: usize): usize {
  return isFar(pc) ? farTarget(pc) : usize(load<u8>(pc, 1))
}

/** The two bytes after `pc`. */
@inline
function farTarget(pc: usize): usize {
  return usize(bswap(load<u16>(pc, 1)))
}

/** Adds a byte. */
@inline
function addByte(sp: usize, value: u64): void {
  const sum = load<u64>(sp) + value
  store<u64>(sp, sum)
  if (sum < value) carryInto(sp)
}

/** Adds the carry out of the lowest limb. */
function carryInto(sp: usize): void {
  for (let i: usize = 8; i < 32; i += 8) {
    const limb = load<u64>(sp + i) + 1
    store<u64>(sp + i, limb)
    if (limb != 0) return
  }
}

/** Multiplies by a byte. */
@inline
function multiplyByByte(sp: usize, value: u64): void {
  if (fitsLimb(sp)) {
    const a = load<u64>(sp)
    store<u64>(sp, a * value)
    store<u64>(sp, multiplyHigh(a, value), 8)
  } else {
    setWord(LOOP_WORDS, value)
    multiply(sp, sp, LOOP_WORDS)
  }
}

/** Returns true if the word is less than a byte. */
@inline
function isBelow(sp: usize, value: u64): bool {
  return fitsLimb(sp) && load<u64>(sp) < value
}

/** Writes a & b. */
@inline
function andWords(out: usize, a: usize, b: usize): void {
  store<u64>(out, load<u64>(a) & load<u64>(b))
  store<u64>(out, load<u64>(a, 8) & load<u64>(b, 8), 8)
  store<u64>(out, load<u64>(a, 16) & load<u64>(b, 16), 16)
  store<u64>(out, load<u64>(a, 24) & load<u64>(b, 24), 24)
}

/** Writes `one << shift` minus `less`, all below 256. Compilers build address masks this way. */
function makeMask(out: usize, less: u64, one: u64, shift: u64): void {
  if (less == 1 && one == 1 && shift == 160) {
    store<u64>(out, -1)
    store<u64>(out, -1, 8)
    store<u64>(out, 0xffffffff, 16)
    store<u64>(out, 0, 24)
    return
  }
  setWord(LOOP_WORDS, shift)
  setWord(LOOP_WORDS + 32, one)
  shiftLeft(out, LOOP_WORDS, LOOP_WORDS + 32)
  setWord(LOOP_WORDS, less)
  subtractWords(out, out, LOOP_WORDS)
}

/**
 * Runs frames until none is left or the host is needed, and returns a status. Each frame entered and each jump taken
 * uses one unit of fuel; long hashes and precompiles use fuel according to their gas. So a run of `fuel` units ends
 * in bounded time.
 *
 * A case ends with `continue`. `break` means that the opcode did not complete; the code after the switch reads the
 * reason from `signal`. All 256 cases are listed because the compiler emits one br_table only then; a chain of
 * comparisons is 1.9 times slower.
 */
export function interpret<Mode>(fuel: i32): i32 {
  while (true) {
    const status = settle()
    if (status >= 0) return status
    if (isTraced<Mode>() && ending.isEnding) {
      ending.setEnding(false)
      leaveFrame()
      continue
    }
    fuel -= 1 + takeSpentFuel()
    if (fuel < 0) return YIELD
    const frame = top
    const code: usize = load<u32>(frame, isTraced<Mode>() ? CODE_BYTES : EXECUTABLE)
    const base: usize = load<u32>(frame, STACK)
    const limit = base + FULL
    let pc = code + load<u32>(frame, PC)
    let sp: usize = load<u32>(frame, SP)
    let gas = load<i64>(frame, GAS)
    let before = gas
    let signal = NEXT
    let written: u32 = 0
    let writtenAt = sp
    let memorySize: u64 = 0

    if (!isTraced<Mode>() && isCounting() && pc == code) {
      // The start of the code may be that of a region. Each start counts: a frame may run long without a jump
      if (functionAt(pc) != 0) {
        signal = runRegions(base, code, pc, sp, gas, fuel)
        pc = usize(load<u32>(REGION_EXIT, 20))
        sp = load<u32>(REGION_EXIT)
        fuel = load<i32>(REGION_EXIT, 4)
        gas = load<i64>(REGION_EXIT, 8)
        if (signal != NEXT || fuel < 0) {
          const status = leaveRegion(signal, pc - code, sp, gas)
          if (status >= 0) return status
          continue
        }
      } else if (isHot(frame, code, pc)) {
        fuel = 0
      }
    }
    while (true) {
      let opcode = u32(load<u8>(pc))
      if (isTraced<Mode>()) {
        setStepCost(u64(before - gas))
        if (keepsMemory) traceWrite(written, writtenAt)
        // Empty code has no step to pause before
        const isPauseDue = stepsLeft == 0 && load<u32>(frame, CODE_LENGTH) != 0
        if (isDrainDue() || isPauseDue) {
          suspend(pc - code, sp, gas)
          if (isPauseDue) {
            // Changes of the last step belong to the state before the next
            markStep()
            notePause()
          }
          return TRACE_FULL
        }
        before = gas
        markStep()
        memorySize = evmMemory.memorySize
        emitStep(opcode, depth + 1, u32(pc - code), gas, refund, u32(memorySize), base, sp)
        written = opcode
        writtenAt = sp
        if (!isDefined(opcode, revision)) opcode = op.INVALID
      }
      switch (opcode) {
        case op.STOP:
          // Empty code has no step to record
          if (isTraced<Mode>() && load<u32>(frame, CODE_LENGTH) == 0) dropStep()
          registers.setGas(gas)
          signal = ending.endWith(NONE, evmMemory.memoryBase, 0)
          break
        case op.ADD:
          if (sp < base + op.ADD_TAKEN || (gas -= op.ADD_GAS) < 0) break
          addWords(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case op.MUL:
          if (sp < base + op.MUL_TAKEN || (gas -= op.MUL_GAS) < 0) break
          multiply(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case op.SUB:
          if (sp < base + op.SUB_TAKEN || (gas -= op.SUB_GAS) < 0) break
          subtractWords(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case op.DIV:
          if (sp < base + op.DIV_TAKEN || (gas -= op.DIV_GAS) < 0) break
          divide(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case op.SDIV:
          if (sp < base + op.SDIV_TAKEN || (gas -= op.SDIV_GAS) < 0) break
          divideSigned(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case op.MOD:
          if (sp < base + op.MOD_TAKEN || (gas -= op.MOD_GAS) < 0) break
          modulo(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case op.SMOD:
          if (sp < base + op.SMOD_TAKEN || (gas -= op.SMOD_GAS) < 0) break
          moduloSigned(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case op.ADDMOD:
          if (sp < base + op.ADDMOD_TAKEN || (gas -= op.ADDMOD_GAS) < 0) break
          addModulo(sp - 64, sp, sp - 32, sp - 64)
          sp -= 64
          pc++
          continue
        case op.MULMOD:
          if (sp < base + op.MULMOD_TAKEN || (gas -= op.MULMOD_GAS) < 0) break
          multiplyModulo(sp - 64, sp, sp - 32, sp - 64)
          sp -= 64
          pc++
          continue
        case op.SIGNEXTEND:
          if (sp < base + op.SIGNEXTEND_TAKEN || (gas -= op.SIGNEXTEND_GAS) < 0) break
          extendSign(sp - 32, sp)
          sp -= 32
          pc++
          continue
        case op.LT:
          if (sp < base + op.LT_TAKEN || (gas -= op.LT_GAS) < 0) break
          setWord(sp - 32, u64(isLess(sp, sp - 32)))
          sp -= 32
          pc++
          continue
        case op.GT:
          if (sp < base + op.GT_TAKEN || (gas -= op.GT_GAS) < 0) break
          setWord(sp - 32, u64(isLess(sp - 32, sp)))
          sp -= 32
          pc++
          continue
        case op.SLT:
          if (sp < base + op.SLT_TAKEN || (gas -= op.SLT_GAS) < 0) break
          setWord(sp - 32, u64(isLessSigned(sp, sp - 32)))
          sp -= 32
          pc++
          continue
        case op.SGT:
          if (sp < base + op.SGT_TAKEN || (gas -= op.SGT_GAS) < 0) break
          setWord(sp - 32, u64(isLessSigned(sp - 32, sp)))
          sp -= 32
          pc++
          continue
        case op.EQ:
          if (sp < base + op.EQ_TAKEN || (gas -= op.EQ_GAS) < 0) break
          setWord(sp - 32, u64(equalWords(sp, sp - 32)))
          sp -= 32
          pc++
          continue
        case op.ISZERO:
          if (sp < base + op.ISZERO_TAKEN || (gas -= op.ISZERO_GAS) < 0) break
          setWord(sp, u64(isZero(sp)))
          pc++
          continue
        case op.AND:
          if (sp < base + op.AND_TAKEN || (gas -= op.AND_GAS) < 0) break
          andWords(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case op.OR:
          if (sp < base + op.OR_TAKEN || (gas -= op.OR_GAS) < 0) break
          store<u64>(sp - 32, load<u64>(sp) | load<u64>(sp - 32))
          store<u64>(sp - 32, load<u64>(sp, 8) | load<u64>(sp - 32, 8), 8)
          store<u64>(sp - 32, load<u64>(sp, 16) | load<u64>(sp - 32, 16), 16)
          store<u64>(sp - 32, load<u64>(sp, 24) | load<u64>(sp - 32, 24), 24)
          sp -= 32
          pc++
          continue
        case op.XOR:
          if (sp < base + op.XOR_TAKEN || (gas -= op.XOR_GAS) < 0) break
          store<u64>(sp - 32, load<u64>(sp) ^ load<u64>(sp - 32))
          store<u64>(sp - 32, load<u64>(sp, 8) ^ load<u64>(sp - 32, 8), 8)
          store<u64>(sp - 32, load<u64>(sp, 16) ^ load<u64>(sp - 32, 16), 16)
          store<u64>(sp - 32, load<u64>(sp, 24) ^ load<u64>(sp - 32, 24), 24)
          sp -= 32
          pc++
          continue
        case op.NOT:
          if (sp < base + op.NOT_TAKEN || (gas -= op.NOT_GAS) < 0) break
          store<u64>(sp, ~load<u64>(sp))
          store<u64>(sp, ~load<u64>(sp, 8), 8)
          store<u64>(sp, ~load<u64>(sp, 16), 16)
          store<u64>(sp, ~load<u64>(sp, 24), 24)
          pc++
          continue
        case op.BYTE:
          if (sp < base + op.BYTE_TAKEN || (gas -= op.BYTE_GAS) < 0) break
          byteAt(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case op.SHL:
          if (sp < base + op.SHL_TAKEN || (gas -= op.SHL_GAS) < 0) break
          shiftLeft(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case op.SHR:
          if (sp < base + op.SHR_TAKEN || (gas -= op.SHR_GAS) < 0) break
          shiftRight(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case op.SAR:
          if (sp < base + op.SAR_TAKEN || (gas -= op.SAR_GAS) < 0) break
          shiftRightSigned(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case op.CLZ:
          if (sp < base + op.CLZ_TAKEN || (gas -= op.CLZ_GAS) < 0) break
          setWord(sp, u64(256 - bitLength(sp)))
          pc++
          continue
        case op.ADDRESS:
          if (sp >= limit || (gas -= op.ADDRESS_GAS) < 0) break
          sp += 32
          readAddress(sp, load<u32>(frame, SELF))
          pc++
          continue
        case op.ORIGIN:
          if (sp >= limit || (gas -= op.ORIGIN_GAS) < 0) break
          sp += 32
          readAddress(sp, ORIGIN)
          pc++
          continue
        case op.CALLER:
          if (sp >= limit || (gas -= op.CALLER_GAS) < 0) break
          sp += 32
          readAddress(sp, load<u32>(frame, CALLER))
          pc++
          continue
        case op.CALLVALUE:
          if (sp >= limit || (gas -= op.CALLVALUE_GAS) < 0) break
          sp += 32
          copyWord(sp, frame + VALUE)
          pc++
          continue
        case op.CALLDATALOAD:
          if (sp < base + op.CALLDATALOAD_TAKEN || (gas -= op.CALLDATALOAD_GAS) < 0) break
          loadInput(sp, load<u32>(frame, INPUT), load<u32>(frame, INPUT_SIZE))
          pc++
          continue
        case op.CALLDATASIZE:
          if (sp >= limit || (gas -= op.CALLDATASIZE_GAS) < 0) break
          sp += 32
          setWord(sp, load<u32>(frame, INPUT_SIZE))
          pc++
          continue
        case op.CODESIZE:
          if (sp >= limit || (gas -= op.CODESIZE_GAS) < 0) break
          sp += 32
          setWord(sp, load<u32>(frame, CODE_LENGTH))
          pc++
          continue
        case op.GASPRICE:
          if (sp >= limit || (gas -= op.GASPRICE_GAS) < 0) break
          sp += 32
          copyWord(sp, GAS_PRICE)
          pc++
          continue
        case op.RETURNDATASIZE:
          if (sp >= limit || (gas -= op.RETURNDATASIZE_GAS) < 0) break
          sp += 32
          setWord(sp, registers.returnSize)
          pc++
          continue
        case op.COINBASE:
          if (sp >= limit || (gas -= op.COINBASE_GAS) < 0) break
          sp += 32
          readAddress(sp, block.COINBASE)
          pc++
          continue
        case op.TIMESTAMP:
          if (sp >= limit || (gas -= op.TIMESTAMP_GAS) < 0) break
          sp += 32
          setWord(sp, load<u64>(block.TIMESTAMP))
          pc++
          continue
        case op.NUMBER:
          if (sp >= limit || (gas -= op.NUMBER_GAS) < 0) break
          sp += 32
          setWord(sp, load<u64>(block.NUMBER))
          pc++
          continue
        case op.PREVRANDAO: // DIFFICULTY before Paris
          if (sp >= limit || (gas -= op.PREVRANDAO_GAS) < 0) break
          sp += 32
          copyWord(sp, block.PREV_RANDAO)
          pc++
          continue
        case op.GASLIMIT:
          if (sp >= limit || (gas -= op.GASLIMIT_GAS) < 0) break
          sp += 32
          setWord(sp, load<u64>(block.GAS_LIMIT))
          pc++
          continue
        case op.CHAINID:
          if (sp >= limit || (gas -= op.CHAINID_GAS) < 0) break
          sp += 32
          copyWord(sp, block.CHAIN_ID)
          pc++
          continue
        case op.SELFBALANCE:
          if (sp >= limit || (gas -= op.SELFBALANCE_GAS) < 0) break
          sp += 32
          copyWord(sp, usize(load<u32>(frame, SELF)) + BALANCE)
          pc++
          continue
        case op.BASEFEE:
          if (sp >= limit || (gas -= op.BASEFEE_GAS) < 0) break
          sp += 32
          copyWord(sp, block.BASE_FEE)
          pc++
          continue
        case op.BLOBBASEFEE:
          if (sp >= limit || (gas -= op.BLOBBASEFEE_GAS) < 0) break
          sp += 32
          copyWord(sp, block.BLOB_BASE_FEE)
          pc++
          continue
        case op.SLOTNUM:
          if (sp >= limit || (gas -= op.SLOTNUM_GAS) < 0) break
          sp += 32
          setWord(sp, load<u64>(block.SLOT_NUMBER))
          pc++
          continue
        case op.POP:
          if (sp < base + op.POP_TAKEN || (gas -= op.POP_GAS) < 0) break
          sp -= 32
          pc++
          continue
        case op.MLOAD:
          if (sp < base + op.MLOAD_TAKEN || (gas -= op.MLOAD_GAS) < 0) break
          if (!isInMemory(sp, 32) && (gas = evmMemory.growMemory(gas, saturate(sp), 32)) < 0) break
          readBytes(sp, evmMemory.memoryBase + usize(load<u64>(sp)))
          pc++
          continue
        case op.MSTORE:
          if (sp < base + op.MSTORE_TAKEN || (gas -= op.MSTORE_GAS) < 0) break
          if (!isInMemory(sp, 32) && (gas = evmMemory.growMemory(gas, saturate(sp), 32)) < 0) break
          writeBytes(evmMemory.memoryBase + usize(load<u64>(sp)), sp - 32)
          sp -= 64
          pc++
          continue
        case op.MSTORE8:
          if (sp < base + op.MSTORE8_TAKEN || (gas -= op.MSTORE8_GAS) < 0) break
          if (!isInMemory(sp, 1) && (gas = evmMemory.growMemory(gas, saturate(sp), 1)) < 0) break
          store<u8>(evmMemory.memoryBase + usize(load<u64>(sp)), u8(load<u64>(sp - 32)))
          sp -= 64
          pc++
          continue
        case op.JUMP:
          if (sp < base + op.JUMP_TAKEN || (gas -= op.JUMP_GAS) < 0) break
          if (!isDestination(frame, sp)) {
            signal = ending.failWith(INVALID_JUMP)
            break
          }
          pc = code + usize(load<u64>(sp))
          sp -= 32
          signal = JUMPED
          break
        case op.JUMPI:
          if (sp < base + op.JUMPI_TAKEN || (gas -= op.JUMPI_GAS) < 0) break
          if (isZero(sp - 32)) {
            sp -= 64
            pc++
            continue
          }
          if (!isDestination(frame, sp)) {
            signal = ending.failWith(INVALID_JUMP)
            break
          }
          pc = code + usize(load<u64>(sp))
          sp -= 64
          signal = JUMPED
          break
        case op.PC:
          if (sp >= limit || (gas -= op.PC_GAS) < 0) break
          sp += 32
          setWord(sp, u64(pc - code))
          pc++
          continue
        case op.MSIZE:
          if (sp >= limit || (gas -= op.MSIZE_GAS) < 0) break
          sp += 32
          setWord(sp, evmMemory.memorySize)
          pc++
          continue
        case op.GAS:
          if (sp >= limit || (gas -= op.GAS_GAS) < 0) break
          sp += 32
          setWord(sp, u64(gas))
          pc++
          continue
        case op.JUMPDEST:
        case fused.REGION: // after a region has ended here
          if ((gas -= op.JUMPDEST_GAS) < 0) break
          pc++
          continue
        case op.PUSH0:
          if (sp >= limit || (gas -= op.PUSH0_GAS) < 0) break
          sp += 32
          setWord(sp, 0)
          pc++
          continue
        case op.PUSH1:
          if (sp >= limit || (gas -= op.PUSH1_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 1)
          pc += 2
          continue
        case op.PUSH2:
          if (sp >= limit || (gas -= op.PUSH2_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 2)
          pc += 3
          continue
        case op.PUSH3:
          if (sp >= limit || (gas -= op.PUSH3_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 3)
          pc += 4
          continue
        case op.PUSH4:
          if (sp >= limit || (gas -= op.PUSH4_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 4)
          pc += 5
          continue
        case op.PUSH5:
          if (sp >= limit || (gas -= op.PUSH5_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 5)
          pc += 6
          continue
        case op.PUSH6:
          if (sp >= limit || (gas -= op.PUSH6_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 6)
          pc += 7
          continue
        case op.PUSH7:
          if (sp >= limit || (gas -= op.PUSH7_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 7)
          pc += 8
          continue
        case op.PUSH8:
          if (sp >= limit || (gas -= op.PUSH8_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 8)
          pc += 9
          continue
        case op.PUSH9:
          if (sp >= limit || (gas -= op.PUSH9_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 9)
          pc += 10
          continue
        case op.PUSH10:
          if (sp >= limit || (gas -= op.PUSH10_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 10)
          pc += 11
          continue
        case op.PUSH11:
          if (sp >= limit || (gas -= op.PUSH11_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 11)
          pc += 12
          continue
        case op.PUSH12:
          if (sp >= limit || (gas -= op.PUSH12_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 12)
          pc += 13
          continue
        case op.PUSH13:
          if (sp >= limit || (gas -= op.PUSH13_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 13)
          pc += 14
          continue
        case op.PUSH14:
          if (sp >= limit || (gas -= op.PUSH14_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 14)
          pc += 15
          continue
        case op.PUSH15:
          if (sp >= limit || (gas -= op.PUSH15_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 15)
          pc += 16
          continue
        case op.PUSH16:
          if (sp >= limit || (gas -= op.PUSH16_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 16)
          pc += 17
          continue
        case op.PUSH17:
          if (sp >= limit || (gas -= op.PUSH17_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 17)
          pc += 18
          continue
        case op.PUSH18:
          if (sp >= limit || (gas -= op.PUSH18_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 18)
          pc += 19
          continue
        case op.PUSH19:
          if (sp >= limit || (gas -= op.PUSH19_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 19)
          pc += 20
          continue
        case op.PUSH20:
          if (sp >= limit || (gas -= op.PUSH20_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 20)
          pc += 21
          continue
        case op.PUSH21:
          if (sp >= limit || (gas -= op.PUSH21_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 21)
          pc += 22
          continue
        case op.PUSH22:
          if (sp >= limit || (gas -= op.PUSH22_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 22)
          pc += 23
          continue
        case op.PUSH23:
          if (sp >= limit || (gas -= op.PUSH23_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 23)
          pc += 24
          continue
        case op.PUSH24:
          if (sp >= limit || (gas -= op.PUSH24_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 24)
          pc += 25
          continue
        case op.PUSH25:
          if (sp >= limit || (gas -= op.PUSH25_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 25)
          pc += 26
          continue
        case op.PUSH26:
          if (sp >= limit || (gas -= op.PUSH26_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 26)
          pc += 27
          continue
        case op.PUSH27:
          if (sp >= limit || (gas -= op.PUSH27_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 27)
          pc += 28
          continue
        case op.PUSH28:
          if (sp >= limit || (gas -= op.PUSH28_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 28)
          pc += 29
          continue
        case op.PUSH29:
          if (sp >= limit || (gas -= op.PUSH29_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 29)
          pc += 30
          continue
        case op.PUSH30:
          if (sp >= limit || (gas -= op.PUSH30_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 30)
          pc += 31
          continue
        case op.PUSH31:
          if (sp >= limit || (gas -= op.PUSH31_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 31)
          pc += 32
          continue
        case op.PUSH32:
          if (sp >= limit || (gas -= op.PUSH32_GAS) < 0) break
          sp += 32
          pushBytes(sp, pc, 32)
          pc += 33
          continue
        case op.DUP1:
          if (sp < base + op.DUP1_TAKEN || sp >= limit || (gas -= op.DUP1_GAS) < 0) break
          copyWord(sp + 32, sp)
          sp += 32
          pc++
          continue
        case op.DUP2:
          if (sp < base + op.DUP2_TAKEN || sp >= limit || (gas -= op.DUP2_GAS) < 0) break
          copyWord(sp + 32, sp - 32)
          sp += 32
          pc++
          continue
        case op.DUP3:
          if (sp < base + op.DUP3_TAKEN || sp >= limit || (gas -= op.DUP3_GAS) < 0) break
          copyWord(sp + 32, sp - 64)
          sp += 32
          pc++
          continue
        case op.DUP4:
          if (sp < base + op.DUP4_TAKEN || sp >= limit || (gas -= op.DUP4_GAS) < 0) break
          copyWord(sp + 32, sp - 96)
          sp += 32
          pc++
          continue
        case op.DUP5:
          if (sp < base + op.DUP5_TAKEN || sp >= limit || (gas -= op.DUP5_GAS) < 0) break
          copyWord(sp + 32, sp - 128)
          sp += 32
          pc++
          continue
        case op.DUP6:
          if (sp < base + op.DUP6_TAKEN || sp >= limit || (gas -= op.DUP6_GAS) < 0) break
          copyWord(sp + 32, sp - 160)
          sp += 32
          pc++
          continue
        case op.DUP7:
          if (sp < base + op.DUP7_TAKEN || sp >= limit || (gas -= op.DUP7_GAS) < 0) break
          copyWord(sp + 32, sp - 192)
          sp += 32
          pc++
          continue
        case op.DUP8:
          if (sp < base + op.DUP8_TAKEN || sp >= limit || (gas -= op.DUP8_GAS) < 0) break
          copyWord(sp + 32, sp - 224)
          sp += 32
          pc++
          continue
        case op.DUP9:
          if (sp < base + op.DUP9_TAKEN || sp >= limit || (gas -= op.DUP9_GAS) < 0) break
          copyWord(sp + 32, sp - 256)
          sp += 32
          pc++
          continue
        case op.DUP10:
          if (sp < base + op.DUP10_TAKEN || sp >= limit || (gas -= op.DUP10_GAS) < 0) break
          copyWord(sp + 32, sp - 288)
          sp += 32
          pc++
          continue
        case op.DUP11:
          if (sp < base + op.DUP11_TAKEN || sp >= limit || (gas -= op.DUP11_GAS) < 0) break
          copyWord(sp + 32, sp - 320)
          sp += 32
          pc++
          continue
        case op.DUP12:
          if (sp < base + op.DUP12_TAKEN || sp >= limit || (gas -= op.DUP12_GAS) < 0) break
          copyWord(sp + 32, sp - 352)
          sp += 32
          pc++
          continue
        case op.DUP13:
          if (sp < base + op.DUP13_TAKEN || sp >= limit || (gas -= op.DUP13_GAS) < 0) break
          copyWord(sp + 32, sp - 384)
          sp += 32
          pc++
          continue
        case op.DUP14:
          if (sp < base + op.DUP14_TAKEN || sp >= limit || (gas -= op.DUP14_GAS) < 0) break
          copyWord(sp + 32, sp - 416)
          sp += 32
          pc++
          continue
        case op.DUP15:
          if (sp < base + op.DUP15_TAKEN || sp >= limit || (gas -= op.DUP15_GAS) < 0) break
          copyWord(sp + 32, sp - 448)
          sp += 32
          pc++
          continue
        case op.DUP16:
          if (sp < base + op.DUP16_TAKEN || sp >= limit || (gas -= op.DUP16_GAS) < 0) break
          copyWord(sp + 32, sp - 480)
          sp += 32
          pc++
          continue
        case op.SWAP1:
          if (sp < base + op.SWAP1_TAKEN || (gas -= op.SWAP1_GAS) < 0) break
          swapWords(sp, sp - 32)
          pc++
          continue
        case op.SWAP2:
          if (sp < base + op.SWAP2_TAKEN || (gas -= op.SWAP2_GAS) < 0) break
          swapWords(sp, sp - 64)
          pc++
          continue
        case op.SWAP3:
          if (sp < base + op.SWAP3_TAKEN || (gas -= op.SWAP3_GAS) < 0) break
          swapWords(sp, sp - 96)
          pc++
          continue
        case op.SWAP4:
          if (sp < base + op.SWAP4_TAKEN || (gas -= op.SWAP4_GAS) < 0) break
          swapWords(sp, sp - 128)
          pc++
          continue
        case op.SWAP5:
          if (sp < base + op.SWAP5_TAKEN || (gas -= op.SWAP5_GAS) < 0) break
          swapWords(sp, sp - 160)
          pc++
          continue
        case op.SWAP6:
          if (sp < base + op.SWAP6_TAKEN || (gas -= op.SWAP6_GAS) < 0) break
          swapWords(sp, sp - 192)
          pc++
          continue
        case op.SWAP7:
          if (sp < base + op.SWAP7_TAKEN || (gas -= op.SWAP7_GAS) < 0) break
          swapWords(sp, sp - 224)
          pc++
          continue
        case op.SWAP8:
          if (sp < base + op.SWAP8_TAKEN || (gas -= op.SWAP8_GAS) < 0) break
          swapWords(sp, sp - 256)
          pc++
          continue
        case op.SWAP9:
          if (sp < base + op.SWAP9_TAKEN || (gas -= op.SWAP9_GAS) < 0) break
          swapWords(sp, sp - 288)
          pc++
          continue
        case op.SWAP10:
          if (sp < base + op.SWAP10_TAKEN || (gas -= op.SWAP10_GAS) < 0) break
          swapWords(sp, sp - 320)
          pc++
          continue
        case op.SWAP11:
          if (sp < base + op.SWAP11_TAKEN || (gas -= op.SWAP11_GAS) < 0) break
          swapWords(sp, sp - 352)
          pc++
          continue
        case op.SWAP12:
          if (sp < base + op.SWAP12_TAKEN || (gas -= op.SWAP12_GAS) < 0) break
          swapWords(sp, sp - 384)
          pc++
          continue
        case op.SWAP13:
          if (sp < base + op.SWAP13_TAKEN || (gas -= op.SWAP13_GAS) < 0) break
          swapWords(sp, sp - 416)
          pc++
          continue
        case op.SWAP14:
          if (sp < base + op.SWAP14_TAKEN || (gas -= op.SWAP14_GAS) < 0) break
          swapWords(sp, sp - 448)
          pc++
          continue
        case op.SWAP15:
          if (sp < base + op.SWAP15_TAKEN || (gas -= op.SWAP15_GAS) < 0) break
          swapWords(sp, sp - 480)
          pc++
          continue
        case op.SWAP16:
          if (sp < base + op.SWAP16_TAKEN || (gas -= op.SWAP16_GAS) < 0) break
          swapWords(sp, sp - 512)
          pc++
          continue
        case op.DUPN: {
          if (sp < base + op.DUPN_TAKEN || sp >= limit || (gas -= op.DUPN_GAS) < 0) break
          const depth = wordDepth(operandAt(frame, pc - code))
          signal = operandFault(op.DUPN, frame, pc - code, u32((sp - base) >> 5), depth)
          if (signal != NEXT) break
          copyWord(sp + 32, sp + 32 - (depth << 5))
          sp += 32
          pc += 2
          continue
        }
        case op.SWAPN: {
          if (sp < base + op.SWAPN_TAKEN || (gas -= op.SWAPN_GAS) < 0) break
          const depth = wordDepth(operandAt(frame, pc - code))
          signal = operandFault(op.SWAPN, frame, pc - code, u32((sp - base) >> 5), depth + 1)
          if (signal != NEXT) break
          swapWords(sp, sp - (depth << 5))
          pc += 2
          continue
        }
        case op.EXCHANGE: {
          if (sp < base + op.EXCHANGE_TAKEN || (gas -= op.EXCHANGE_GAS) < 0) break
          const operand = operandAt(frame, pc - code)
          const near = nearDepth(operand)
          const far = farDepth(operand)
          signal = operandFault(op.EXCHANGE, frame, pc - code, u32((sp - base) >> 5), far + 1)
          if (signal != NEXT) break
          swapWords(sp - (near << 5), sp - (far << 5))
          pc += 2
          continue
        }
        // Cold: each ends in a call, so the cost of leaving the loop does not matter
        // <generated: opcodes out of line>
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
        case op.LOG0:
        case op.LOG1:
        case op.LOG2:
        case op.LOG3:
        case op.LOG4:
        case op.CREATE:
        case op.CALL:
        case op.CALLCODE:
        case op.RETURN:
        case op.DELEGATECALL:
        case op.CREATE2:
        case op.STATICCALL:
        case op.REVERT:
        case op.SELFDESTRUCT:
          // </generated>
          if (sp < base + (usize(wordsTaken(opcode)) << 5)) break
          registers.setRegisters(pc - code, sp, gas)
          signal = runOutOfLine(opcode)
          if (signal != NEXT) break
          if (registers.exhausted) {
            signal = SWITCH
            break
          }
          sp = registers.sp
          gas = registers.gas
          pc++
          continue
        // Superinstructions (state/superinstruction.ts): check the whole sequence, then execute it
        case fused.PUSH1_ADD:
          if (sp < base + fused.PUSH1_ADD_TAKEN || sp >= limit || gas < fused.PUSH1_ADD_GAS) break
          gas -= fused.PUSH1_ADD_GAS
          addByte(sp, u64(load<u8>(pc, 1)))
          pc += 3
          continue
        case fused.PUSH1_SHL:
          if (sp < base + fused.PUSH1_SHL_TAKEN || sp >= limit || gas < fused.PUSH1_SHL_GAS) break
          gas -= fused.PUSH1_SHL_GAS
          setWord(sp + 32, u64(load<u8>(pc, 1)))
          shiftLeft(sp, sp + 32, sp)
          pc += 3
          continue
        case fused.PUSH1_SHR:
          if (sp < base + fused.PUSH1_SHR_TAKEN || sp >= limit || gas < fused.PUSH1_SHR_GAS) break
          gas -= fused.PUSH1_SHR_GAS
          setWord(sp + 32, u64(load<u8>(pc, 1)))
          shiftRight(sp, sp + 32, sp)
          pc += 3
          continue
        case fused.PUSH1_MUL:
          if (sp < base + fused.PUSH1_MUL_TAKEN || sp >= limit || gas < fused.PUSH1_MUL_GAS) break
          gas -= fused.PUSH1_MUL_GAS
          multiplyByByte(sp, u64(load<u8>(pc, 1)))
          pc += 3
          continue
        case fused.PUSH1_AND:
          if (sp < base + fused.PUSH1_AND_TAKEN || sp >= limit || gas < fused.PUSH1_AND_GAS) break
          gas -= fused.PUSH1_AND_GAS
          setWord(sp, load<u64>(sp) & u64(load<u8>(pc, 1)))
          pc += 3
          continue
        case fused.PUSH1_MLOAD:
          if (sp >= limit || gas < fused.PUSH1_MLOAD_GAS) break
          gas -= fused.PUSH1_MLOAD_GAS
          if (u64(load<u8>(pc, 1)) + 32 > evmMemory.memorySize) {
            if ((gas = evmMemory.growMemory(gas, u64(load<u8>(pc, 1)), 32)) < 0) break
          }
          sp += 32
          readBytes(sp, evmMemory.memoryBase + usize(load<u8>(pc, 1)))
          pc += 3
          continue
        case fused.PUSH1_MSTORE:
          if (sp < base + fused.PUSH1_MSTORE_TAKEN || sp >= limit || gas < fused.PUSH1_MSTORE_GAS)
            break
          gas -= fused.PUSH1_MSTORE_GAS
          if (u64(load<u8>(pc, 1)) + 32 > evmMemory.memorySize) {
            if ((gas = evmMemory.growMemory(gas, u64(load<u8>(pc, 1)), 32)) < 0) break
          }
          writeBytes(evmMemory.memoryBase + usize(load<u8>(pc, 1)), sp)
          sp -= 32
          pc += 3
          continue
        case fused.PUSH1_JUMP:
          if (sp >= limit || gas < fused.PUSH1_JUMP_GAS) break
          gas -= fused.PUSH1_JUMP_GAS
          pc = code + usize(load<u8>(pc, 1))
          signal = JUMPED
          break
        case fused.PUSH2_JUMP:
          if (sp >= limit || gas < fused.PUSH2_JUMP_GAS) break
          gas -= fused.PUSH2_JUMP_GAS
          pc = code + farTarget(pc)
          signal = JUMPED
          break
        case fused.PUSH1_JUMPI:
          if (sp < base + fused.PUSH1_JUMPI_TAKEN || sp >= limit || gas < fused.PUSH1_JUMPI_GAS)
            break
          gas -= fused.PUSH1_JUMPI_GAS
          sp -= 32
          if (isZero(sp + 32)) {
            pc += 3
            continue
          }
          pc = code + usize(load<u8>(pc, 1))
          signal = JUMPED
          break
        case fused.PUSH2_JUMPI:
          if (sp < base + fused.PUSH2_JUMPI_TAKEN || sp >= limit || gas < fused.PUSH2_JUMPI_GAS)
            break
          gas -= fused.PUSH2_JUMPI_GAS
          sp -= 32
          if (isZero(sp + 32)) {
            pc += 4
            continue
          }
          pc = code + farTarget(pc)
          signal = JUMPED
          break
        case fused.LT_PUSHN_JUMPI:
          if (sp < base + fused.LT_PUSHN_JUMPI_TAKEN || gas < fused.LT_PUSHN_JUMPI_GAS) break
          gas -= fused.LT_PUSHN_JUMPI_GAS
          sp -= 64
          pc += 1
          if (!isLess(sp + 64, sp + 32)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case fused.LT_ISZERO_PUSHN_JUMPI:
          if (
            sp < base + fused.LT_ISZERO_PUSHN_JUMPI_TAKEN ||
            gas < fused.LT_ISZERO_PUSHN_JUMPI_GAS
          )
            break
          gas -= fused.LT_ISZERO_PUSHN_JUMPI_GAS
          sp -= 64
          pc += 2
          if (isLess(sp + 64, sp + 32)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case fused.GT_PUSHN_JUMPI:
          if (sp < base + fused.GT_PUSHN_JUMPI_TAKEN || gas < fused.GT_PUSHN_JUMPI_GAS) break
          gas -= fused.GT_PUSHN_JUMPI_GAS
          sp -= 64
          pc += 1
          if (!isLess(sp + 32, sp + 64)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case fused.GT_ISZERO_PUSHN_JUMPI:
          if (
            sp < base + fused.GT_ISZERO_PUSHN_JUMPI_TAKEN ||
            gas < fused.GT_ISZERO_PUSHN_JUMPI_GAS
          )
            break
          gas -= fused.GT_ISZERO_PUSHN_JUMPI_GAS
          sp -= 64
          pc += 2
          if (isLess(sp + 32, sp + 64)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case fused.EQ_PUSHN_JUMPI:
          if (sp < base + fused.EQ_PUSHN_JUMPI_TAKEN || gas < fused.EQ_PUSHN_JUMPI_GAS) break
          gas -= fused.EQ_PUSHN_JUMPI_GAS
          sp -= 64
          pc += 1
          if (!equalWords(sp + 32, sp + 64)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case fused.SLT_ISZERO_PUSHN_JUMPI:
          if (
            sp < base + fused.SLT_ISZERO_PUSHN_JUMPI_TAKEN ||
            gas < fused.SLT_ISZERO_PUSHN_JUMPI_GAS
          )
            break
          gas -= fused.SLT_ISZERO_PUSHN_JUMPI_GAS
          sp -= 64
          pc += 2
          if (isLessSigned(sp + 64, sp + 32)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case fused.ISZERO_PUSHN_JUMPI:
          if (
            sp < base + fused.ISZERO_PUSHN_JUMPI_TAKEN ||
            sp >= limit ||
            gas < fused.ISZERO_PUSHN_JUMPI_GAS
          )
            break
          gas -= fused.ISZERO_PUSHN_JUMPI_GAS
          sp -= 32
          pc += 1
          if (!isZero(sp + 32)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case fused.ISZERO_ISZERO_PUSHN_JUMPI:
          if (
            sp < base + fused.ISZERO_ISZERO_PUSHN_JUMPI_TAKEN ||
            sp >= limit ||
            gas < fused.ISZERO_ISZERO_PUSHN_JUMPI_GAS
          )
            break
          gas -= fused.ISZERO_ISZERO_PUSHN_JUMPI_GAS
          sp -= 32
          pc += 2
          if (isZero(sp + 32)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case fused.DUP1_ISZERO_PUSHN_JUMPI:
          if (
            sp < base + fused.DUP1_ISZERO_PUSHN_JUMPI_TAKEN ||
            sp > limit - fused.DUP1_ISZERO_PUSHN_JUMPI_GROWTH ||
            gas < fused.DUP1_ISZERO_PUSHN_JUMPI_GAS
          )
            break
          gas -= fused.DUP1_ISZERO_PUSHN_JUMPI_GAS
          pc += 2
          if (!isZero(sp)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case fused.DUP2_LT_ISZERO_PUSHN_JUMPI:
          if (
            sp < base + fused.DUP2_LT_ISZERO_PUSHN_JUMPI_TAKEN ||
            sp >= limit ||
            gas < fused.DUP2_LT_ISZERO_PUSHN_JUMPI_GAS
          )
            break
          gas -= fused.DUP2_LT_ISZERO_PUSHN_JUMPI_GAS
          sp -= 32
          pc += 3
          if (isLess(sp, sp + 32)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case fused.DUP2_ISZERO_ISZERO_PUSHN_JUMPI:
          if (
            sp < base + fused.DUP2_ISZERO_ISZERO_PUSHN_JUMPI_TAKEN ||
            sp > limit - fused.DUP2_ISZERO_ISZERO_PUSHN_JUMPI_GROWTH ||
            gas < fused.DUP2_ISZERO_ISZERO_PUSHN_JUMPI_GAS
          )
            break
          gas -= fused.DUP2_ISZERO_ISZERO_PUSHN_JUMPI_GAS
          pc += 3
          if (isZero(sp - 32)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case fused.PUSH1_DUP2_LT_PUSHN_JUMPI: {
          if (
            sp < base + fused.PUSH1_DUP2_LT_PUSHN_JUMPI_TAKEN ||
            sp > limit - fused.PUSH1_DUP2_LT_PUSHN_JUMPI_GROWTH ||
            gas < fused.PUSH1_DUP2_LT_PUSHN_JUMPI_GAS
          )
            break
          gas -= fused.PUSH1_DUP2_LT_PUSHN_JUMPI_GAS
          const bound = u64(load<u8>(pc, 1))
          pc += 4
          if (!isBelow(sp, bound)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        }
        case fused.PUSH1_DUP2_LT_ISZERO_PUSHN_JUMPI: {
          if (
            sp < base + fused.PUSH1_DUP2_LT_ISZERO_PUSHN_JUMPI_TAKEN ||
            sp > limit - fused.PUSH1_DUP2_LT_ISZERO_PUSHN_JUMPI_GROWTH ||
            gas < fused.PUSH1_DUP2_LT_ISZERO_PUSHN_JUMPI_GAS
          )
            break
          gas -= fused.PUSH1_DUP2_LT_ISZERO_PUSHN_JUMPI_GAS
          const bound = u64(load<u8>(pc, 1))
          pc += 5
          if (isBelow(sp, bound)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        }
        case fused.PUSH1_DUP2_EQ_PUSHN_JUMPI: {
          if (
            sp < base + fused.PUSH1_DUP2_EQ_PUSHN_JUMPI_TAKEN ||
            sp > limit - fused.PUSH1_DUP2_EQ_PUSHN_JUMPI_GROWTH ||
            gas < fused.PUSH1_DUP2_EQ_PUSHN_JUMPI_GAS
          )
            break
          gas -= fused.PUSH1_DUP2_EQ_PUSHN_JUMPI_GAS
          const value = u64(load<u8>(pc, 1))
          pc += 4
          if (!fitsLimb(sp) || load<u64>(sp) != value) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        }
        case fused.DUP1_PUSH4_EQ_PUSHN_JUMPI: {
          if (
            sp < base + fused.DUP1_PUSH4_EQ_PUSHN_JUMPI_TAKEN ||
            sp > limit - fused.DUP1_PUSH4_EQ_PUSHN_JUMPI_GROWTH ||
            gas < fused.DUP1_PUSH4_EQ_PUSHN_JUMPI_GAS
          )
            break
          gas -= fused.DUP1_PUSH4_EQ_PUSHN_JUMPI_GAS
          const selector = u64(bswap(load<u32>(pc, 2)))
          pc += 7
          if (!fitsLimb(sp) || load<u64>(sp) != selector) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        }
        case fused.PUSH1_PUSH1_PUSH1_SHL_SUB:
          if (
            sp > limit - fused.PUSH1_PUSH1_PUSH1_SHL_SUB_GROWTH ||
            gas < fused.PUSH1_PUSH1_PUSH1_SHL_SUB_GAS
          )
            break
          gas -= fused.PUSH1_PUSH1_PUSH1_SHL_SUB_GAS
          sp += 32
          makeMask(sp, load<u8>(pc, 1), load<u8>(pc, 3), load<u8>(pc, 5))
          pc += 8
          continue
        case fused.PUSH1_PUSH1:
          if (sp > limit - fused.PUSH1_PUSH1_GROWTH || gas < fused.PUSH1_PUSH1_GAS) break
          gas -= fused.PUSH1_PUSH1_GAS
          setWord(sp + 32, u64(load<u8>(pc, 1)))
          setWord(sp + 64, u64(load<u8>(pc, 3)))
          sp += 64
          pc += 4
          continue
        case fused.PUSH1_DUP1:
          if (sp > limit - fused.PUSH1_DUP1_GROWTH || gas < fused.PUSH1_DUP1_GAS) break
          gas -= fused.PUSH1_DUP1_GAS
          setWord(sp + 32, u64(load<u8>(pc, 1)))
          setWord(sp + 64, u64(load<u8>(pc, 1)))
          sp += 64
          pc += 3
          continue
        case fused.PUSH1_DUP2:
          if (
            sp < base + fused.PUSH1_DUP2_TAKEN ||
            sp > limit - fused.PUSH1_DUP2_GROWTH ||
            gas < fused.PUSH1_DUP2_GAS
          )
            break
          gas -= fused.PUSH1_DUP2_GAS
          setWord(sp + 32, u64(load<u8>(pc, 1)))
          copyWord(sp + 64, sp)
          sp += 64
          pc += 3
          continue
        case fused.PUSH1_DUP1_MLOAD:
          if (sp > limit - fused.PUSH1_DUP1_MLOAD_GROWTH || gas < fused.PUSH1_DUP1_MLOAD_GAS) break
          gas -= fused.PUSH1_DUP1_MLOAD_GAS
          if (u64(load<u8>(pc, 1)) + 32 > evmMemory.memorySize) {
            if ((gas = evmMemory.growMemory(gas, u64(load<u8>(pc, 1)), 32)) < 0) break
          }
          setWord(sp + 32, u64(load<u8>(pc, 1)))
          sp += 64
          readBytes(sp, evmMemory.memoryBase + usize(load<u8>(pc, 1)))
          pc += 4
          continue
        case fused.PUSH1_SHR_AND:
          if (sp < base + fused.PUSH1_SHR_AND_TAKEN || sp >= limit || gas < fused.PUSH1_SHR_AND_GAS)
            break
          gas -= fused.PUSH1_SHR_AND_GAS
          setWord(sp + 32, u64(load<u8>(pc, 1)))
          shiftRight(sp, sp + 32, sp)
          andWords(sp - 32, sp, sp - 32)
          sp -= 32
          pc += 4
          continue
        case fused.ADD_MLOAD:
          if (sp < base + fused.ADD_MLOAD_TAKEN || gas < fused.ADD_MLOAD_GAS) break
          gas -= fused.ADD_MLOAD_GAS
          addWords(sp - 32, sp, sp - 32)
          sp -= 32
          if (!isInMemory(sp, 32) && (gas = evmMemory.growMemory(gas, saturate(sp), 32)) < 0) {
            signal = ending.failWith(OUT_OF_GAS)
            break
          }
          readBytes(sp, evmMemory.memoryBase + usize(load<u64>(sp)))
          pc += 2
          continue
        case fused.ADD_SWAP1_POP:
          if (sp < base + fused.ADD_SWAP1_POP_TAKEN || gas < fused.ADD_SWAP1_POP_GAS) break
          gas -= fused.ADD_SWAP1_POP_GAS
          addWords(sp - 64, sp, sp - 32)
          sp -= 64
          pc += 3
          continue
        case fused.AND_OR:
          if (sp < base + fused.AND_OR_TAKEN || gas < fused.AND_OR_GAS) break
          gas -= fused.AND_OR_GAS
          store<u64>(sp - 64, (load<u64>(sp) & load<u64>(sp - 32)) | load<u64>(sp - 64))
          store<u64>(sp - 64, (load<u64>(sp, 8) & load<u64>(sp - 32, 8)) | load<u64>(sp - 64, 8), 8)
          store<u64>(
            sp - 64,
            (load<u64>(sp, 16) & load<u64>(sp - 32, 16)) | load<u64>(sp - 64, 16),
            16,
          )
          store<u64>(
            sp - 64,
            (load<u64>(sp, 24) & load<u64>(sp - 32, 24)) | load<u64>(sp - 64, 24),
            24,
          )
          sp -= 64
          pc += 2
          continue
        case fused.POP_POP:
          if (sp < base + fused.POP_POP_TAKEN || gas < fused.POP_POP_GAS) break
          gas -= fused.POP_POP_GAS
          sp -= 64
          pc += 2
          continue
        case fused.DUP2_MSTORE:
          if (sp < base + fused.DUP2_MSTORE_TAKEN || sp >= limit || gas < fused.DUP2_MSTORE_GAS)
            break
          gas -= fused.DUP2_MSTORE_GAS
          if (
            !isInMemory(sp - 32, 32) &&
            (gas = evmMemory.growMemory(gas, saturate(sp - 32), 32)) < 0
          )
            break
          writeBytes(evmMemory.memoryBase + usize(load<u64>(sp - 32)), sp)
          sp -= 32
          pc += 2
          continue
        case fused.DUP1_MLOAD:
          if (sp < base + fused.DUP1_MLOAD_TAKEN || sp >= limit || gas < fused.DUP1_MLOAD_GAS) break
          gas -= fused.DUP1_MLOAD_GAS
          if (!isInMemory(sp, 32) && (gas = evmMemory.growMemory(gas, saturate(sp), 32)) < 0) break
          readBytes(sp + 32, evmMemory.memoryBase + usize(load<u64>(sp)))
          sp += 32
          pc += 2
          continue
        case fused.DUP2_ADD:
          if (sp < base + fused.DUP2_ADD_TAKEN || sp >= limit || gas < fused.DUP2_ADD_GAS) break
          gas -= fused.DUP2_ADD_GAS
          addWords(sp, sp, sp - 32)
          pc += 2
          continue
        case fused.DUP2_DUP2:
          if (
            sp < base + fused.DUP2_DUP2_TAKEN ||
            sp > limit - fused.DUP2_DUP2_GROWTH ||
            gas < fused.DUP2_DUP2_GAS
          )
            break
          gas -= fused.DUP2_DUP2_GAS
          copyWord(sp + 32, sp - 32)
          copyWord(sp + 64, sp)
          sp += 64
          pc += 2
          continue
        case fused.DUP3_AND:
          if (sp < base + fused.DUP3_AND_TAKEN || sp >= limit || gas < fused.DUP3_AND_GAS) break
          gas -= fused.DUP3_AND_GAS
          andWords(sp, sp, sp - 64)
          pc += 2
          continue
        case fused.DUP4_AND:
          if (sp < base + fused.DUP4_AND_TAKEN || sp >= limit || gas < fused.DUP4_AND_GAS) break
          gas -= fused.DUP4_AND_GAS
          andWords(sp, sp, sp - 96)
          pc += 2
          continue
        case fused.SWAP1_POP:
          if (sp < base + fused.SWAP1_POP_TAKEN || gas < fused.SWAP1_POP_GAS) break
          gas -= fused.SWAP1_POP_GAS
          copyWord(sp - 32, sp)
          sp -= 32
          pc += 2
          continue
        case fused.SWAP2_POP:
          if (sp < base + fused.SWAP2_POP_TAKEN || gas < fused.SWAP2_POP_GAS) break
          gas -= fused.SWAP2_POP_GAS
          copyWord(sp - 64, sp)
          sp -= 32
          pc += 2
          continue
        case fused.SWAP3_POP:
          if (sp < base + fused.SWAP3_POP_TAKEN || gas < fused.SWAP3_POP_GAS) break
          gas -= fused.SWAP3_POP_GAS
          copyWord(sp - 96, sp)
          sp -= 32
          pc += 2
          continue
        case fused.SWAP4_POP:
          if (sp < base + fused.SWAP4_POP_TAKEN || gas < fused.SWAP4_POP_GAS) break
          gas -= fused.SWAP4_POP_GAS
          copyWord(sp - 128, sp)
          sp -= 32
          pc += 2
          continue
        case fused.SWAP5_POP:
          if (sp < base + fused.SWAP5_POP_TAKEN || gas < fused.SWAP5_POP_GAS) break
          gas -= fused.SWAP5_POP_GAS
          copyWord(sp - 160, sp)
          sp -= 32
          pc += 2
          continue
        case fused.SWAP1_MSTORE:
          if (sp < base + fused.SWAP1_MSTORE_TAKEN || gas < fused.SWAP1_MSTORE_GAS) break
          gas -= fused.SWAP1_MSTORE_GAS
          if (
            !isInMemory(sp - 32, 32) &&
            (gas = evmMemory.growMemory(gas, saturate(sp - 32), 32)) < 0
          )
            break
          writeBytes(evmMemory.memoryBase + usize(load<u64>(sp - 32)), sp)
          sp -= 64
          pc += 2
          continue
        // <generated: unassigned bytes>
        case 0x4c:
        case 0xa8:
        case 0xb3:
        case 0xb5:
        case 0xb6:
        case 0xb7:
        case 0xbd:
        case 0xc4:
        case 0xc6:
        case 0xc7:
        case 0xc8:
        case 0xc9:
        case 0xca:
        case 0xcb:
        case 0xcc:
        case 0xcd:
        case 0xce:
        case 0xcf:
        case 0xd0:
        case 0xd1:
        case 0xd2:
        case 0xd3:
        case 0xd4:
        case 0xd5:
        case 0xd6:
        case 0xd7:
        case 0xd8:
        case 0xd9:
        case 0xda:
        case 0xdb:
        case 0xdc:
        case 0xdd:
        case 0xde:
        case 0xdf:
        case 0xe0:
        case 0xe1:
        case 0xe2:
        case 0xe3:
        case 0xe4:
        case 0xe5:
        case 0xe9:
        case 0xea:
        case 0xeb:
        case 0xec:
        case 0xed:
        case 0xee:
        case 0xef:
        case 0xf6:
        case 0xf7:
        case 0xf8:
        case 0xf9:
        case 0xfb:
        case 0xfc:
        // </generated>
        case op.INVALID: // and bytes that the revision does not assign
          signal = invalidOpcode(frame, pc - code)
          break
      }

      if (signal == JUMPED) {
        signal = NEXT
        if (!isTraced<Mode>()) {
          if (load<u8>(pc) == fused.REGION) {
            signal = runRegions(base, code, pc, sp, gas, fuel)
            pc = usize(load<u32>(REGION_EXIT, 20))
            sp = load<u32>(REGION_EXIT)
            fuel = load<i32>(REGION_EXIT, 4)
            gas = load<i64>(REGION_EXIT, 8)
            if (signal == NEXT && fuel >= 0) continue
          } else {
            // The JUMPDEST
            if ((gas -= op.JUMPDEST_GAS) < 0) signal = ending.failWith(OUT_OF_GAS)
            if (isSampled(fuel) && isHot(frame, code, pc)) fuel = 0
            pc++
            fuel--
          }
        } else {
          fuel--
        }
        if (signal == NEXT) {
          if (fuel >= 0) continue
          suspend(pc - code, sp, gas)
          if (isTraced<Mode>()) setStepCost(u64(before - gas))
          return YIELD
        }
      }
      if (signal == NEXT) {
        const at = usize(load<u32>(frame, CODE_BYTES)) + (pc - code)
        const count: u32 = isTraced<Mode>() ? 1 : opcodeCount(opcode)
        signal = firstFault(at, count, u32((sp - base) >> 5), gas)
      }
      if (signal == END) {
        if (isTraced<Mode>()) {
          setStepFault(ending.fault, ending.faultDetail)
          if (ending.fault == NONE || ending.fault == REVERTED) {
            setStepCost(u64(before - registers.gas))
          } else {
            undoStep()
            evmMemory.setMemory(evmMemory.memoryBase, memorySize)
            setStepCost(failedStepCost(opcode, ending.fault, ending.faultDetail, writtenAt, before))
          }
          // Do not undo the frame's changes until the host has read the step
          if (isDrainDue()) {
            ending.setEnding(true)
            return TRACE_FULL
          }
        }
        leaveFrame()
      } else if (signal == SWITCH) {
        if (isTraced<Mode>()) setStepCost(u64(before - registers.gas))
      } else if (signal == DRAIN || signal == WORKED) {
        if (isTraced<Mode>()) {
          setStepCost(u64(before - registers.gas))
          if (keepsMemory) traceWrite(written, writtenAt)
        }
        suspend(pc - code + 1, registers.sp, registers.gas)
        if (signal == DRAIN) return TRACE_FULL
      } else {
        if (isTraced<Mode>()) dropStep()
        suspend(pc - code, sp, gas)
        return pending
      }
      break
    }
  }
}
