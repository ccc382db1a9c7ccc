import { LOOP_WORDS, STACK_WORDS } from '../layout'
import {
  dropStep,
  emitStep,
  isDrainDue,
  keepsMemory,
  setStepCost,
  setStepFault,
} from '../trace/trace-buffer'
import { copyBytes } from '../u256/bytes'
import { addModulo, divide, divideSigned, modulo, moduloSigned } from '../u256/divide'
import { multiplyModulo } from '../u256/modulus'
import { multiply, multiplyHigh } from '../u256/multiply'
import { byteAt, extendSign, shiftLeft, shiftRight, shiftRightSigned } from '../u256/shift'
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
} from '../u256/word'
import { BALANCE } from './account'
import * as block from './block'
import { runCold } from './cold'
import {
  INVALID_JUMP,
  INVALID_OPCODE,
  NONE,
  OUT_OF_GAS,
  REVERTED,
  STACK_OVERFLOW,
  STACK_UNDERFLOW,
} from './errors'
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
  settle,
  suspend,
  top,
  VALUE,
} from './frame'
import { FAR_BRANCH, opcodeCount } from './fusion'
import * as machine from './machine'
import { traceWrite } from './memory-trace'
import { GAS_PRICE, ORIGIN } from './message-layout'
import { constantGas, immediateLength, isDefined, wordsLeft, wordsTaken } from './opcode'
import { markStep, undoStep } from './peek'
import { revision } from './revision'
import { DRAIN, END, NEXT, pending, SWITCH, TRACE_FULL, WORKED, YIELD } from './status'
import { failedStepCost } from './step-cost'

/**
 * Type arguments of `interpret`: the loop is compiled once for each, and never tests which it is.
 */
export type Plain = u8
export type Traced = i8

/** A signal of the loop's own: `pc` is at the JUMPDEST that was jumped to. */
const JUMPED = 3

/** Bytes of a full stack. */
const FULL: usize = STACK_WORDS * 32

@inline
function isTraced<Mode>(): bool {
  return isSigned<Mode>()
}

/** True when the word at `sp` is a valid jump destination of the running code. */
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

/** CALLDATALOAD: replaces the offset at `sp` by the 32 bytes there, zeros beyond the end. */
function loadInput(sp: usize, input: usize, size: u32): void {
  const offset = saturate(sp)
  if (offset + 32 <= u64(size) && offset < u64(size)) return readBytes(sp, input + usize(offset))
  setWord(LOOP_WORDS, 0)
  if (offset < u64(size)) copyBytes(LOOP_WORDS, input + usize(offset), usize(u64(size) - offset))
  readBytes(sp, LOOP_WORDS)
}

/** True when `size` bytes at the offset on top of the stack lie within the memory as it is. */
@inline
function isInMemory(sp: usize, size: u64): bool {
  const offset = load<u64>(sp)
  return fitsLimb(sp) && offset < 0xffffffff && offset + size <= machine.memorySize
}

/** The byte as the code has it: its executable form may hold INVALID instead. */
function invalidOpcode(frame: usize, offset: usize): i32 {
  const bytes: usize = load<u32>(frame, CODE_BYTES)
  return machine.failWith(INVALID_OPCODE, load<u8>(bytes + offset))
}

/**
 * Why the first of `count` opcodes that cannot run could not, in the order of geth's checks. They
 * are the bytes at `at`, and stopped before their work; where stack and constant gas suffice for
 * all, it was the gas that the last takes beyond.
 */
function firstFault(at: usize, count: u32, height: u32, gas: i64): i32 {
  for (; count > 0; count--) {
    const opcode: u32 = load<u8>(at)
    const taken = wordsTaken(opcode)
    if (height < taken) return machine.failWith(STACK_UNDERFLOW, (u64(height) << 32) | u64(taken))
    const left = height + wordsLeft(opcode) - taken
    if (left > u32(STACK_WORDS)) return machine.failWith(STACK_OVERFLOW, u64(height))
    gas -= i64(constantGas(opcode))
    if (gas < 0) break
    height = left
    at += 1 + immediateLength(opcode)
  }
  return machine.failWith(OUT_OF_GAS)
}

/** Ends the running frame as machine.ts says. */
function leaveFrame(): void {
  leave(machine.fault, machine.faultDetail, machine.output, machine.outputSize, machine.gas)
}

/** True when the branch whose push is at `pc` has a target of two bytes. */
@inline
function isFar(pc: usize): bool {
  return load<u8>(pc) == FAR_BRANCH
}

/** Bytes of the fused branch at `pc`: PUSH1 JUMPI or PUSH2 JUMPI. */
@inline
function branchLength(pc: usize): usize {
  return isFar(pc) ? 4 : 3
}

/** Target of the fused branch at `pc`. */
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

/** True when the word is less than a byte. */
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

/** Writes `one << shift` less `less`, all below 256: what compilers make address masks of. */
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
 * Runs frames until none is left or the host is wanted; returns a status. Each frame entered and
 * each jump taken uses one unit of fuel, long hashes and precompiles some by their gas, so a run of
 * `fuel` units ends in bounded time.
 *
 * A case ends with `continue`; `break` means the opcode did not complete, and the code after the
 * switch finds out why from `signal`. All 256 cases are listed because only then does the compiler
 * emit one br_table instead of a chain of comparisons (1.9 times slower).
 */
export function interpret<Mode>(fuel: i32): i32 {
  while (true) {
    const status = settle()
    if (status >= 0) return status
    if (isTraced<Mode>() && machine.isEnding) {
      machine.setEnding(false)
      leaveFrame()
      continue
    }
    fuel -= 1 + machine.takeSpentFuel()
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

    while (true) {
      let opcode = u32(load<u8>(pc))
      if (isTraced<Mode>()) {
        setStepCost(u64(before - gas))
        if (keepsMemory) traceWrite(written, writtenAt)
        if (isDrainDue()) {
          suspend(pc - code, sp, gas)
          return TRACE_FULL
        }
        before = gas
        markStep()
        memorySize = machine.memorySize
        emitStep(opcode, depth + 1, u32(pc - code), gas, refund, u32(memorySize), base, sp)
        written = opcode
        writtenAt = sp
        if (!isDefined(opcode, revision)) opcode = 0xfe
      }
      switch (opcode) {
        case 0x00: // STOP
          // Where there is no code, nothing runs
          if (isTraced<Mode>() && load<u32>(frame, CODE_LENGTH) == 0) dropStep()
          machine.setGas(gas)
          signal = machine.endWith(NONE, machine.memoryBase, 0)
          break
        case 0x01: // ADD
          if (sp < base + 64 || (gas -= 3) < 0) break
          addWords(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case 0x02: // MUL
          if (sp < base + 64 || (gas -= 5) < 0) break
          multiply(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case 0x03: // SUB
          if (sp < base + 64 || (gas -= 3) < 0) break
          subtractWords(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case 0x04: // DIV
          if (sp < base + 64 || (gas -= 5) < 0) break
          divide(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case 0x05: // SDIV
          if (sp < base + 64 || (gas -= 5) < 0) break
          divideSigned(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case 0x06: // MOD
          if (sp < base + 64 || (gas -= 5) < 0) break
          modulo(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case 0x07: // SMOD
          if (sp < base + 64 || (gas -= 5) < 0) break
          moduloSigned(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case 0x08: // ADDMOD
          if (sp < base + 96 || (gas -= 8) < 0) break
          addModulo(sp - 64, sp, sp - 32, sp - 64)
          sp -= 64
          pc++
          continue
        case 0x09: // MULMOD
          if (sp < base + 96 || (gas -= 8) < 0) break
          multiplyModulo(sp - 64, sp, sp - 32, sp - 64)
          sp -= 64
          pc++
          continue
        case 0x0b: // SIGNEXTEND
          if (sp < base + 64 || (gas -= 5) < 0) break
          extendSign(sp - 32, sp)
          sp -= 32
          pc++
          continue
        case 0x10: // LT
          if (sp < base + 64 || (gas -= 3) < 0) break
          setWord(sp - 32, u64(isLess(sp, sp - 32)))
          sp -= 32
          pc++
          continue
        case 0x11: // GT
          if (sp < base + 64 || (gas -= 3) < 0) break
          setWord(sp - 32, u64(isLess(sp - 32, sp)))
          sp -= 32
          pc++
          continue
        case 0x12: // SLT
          if (sp < base + 64 || (gas -= 3) < 0) break
          setWord(sp - 32, u64(isLessSigned(sp, sp - 32)))
          sp -= 32
          pc++
          continue
        case 0x13: // SGT
          if (sp < base + 64 || (gas -= 3) < 0) break
          setWord(sp - 32, u64(isLessSigned(sp - 32, sp)))
          sp -= 32
          pc++
          continue
        case 0x14: // EQ
          if (sp < base + 64 || (gas -= 3) < 0) break
          setWord(sp - 32, u64(equalWords(sp, sp - 32)))
          sp -= 32
          pc++
          continue
        case 0x15: // ISZERO
          if (sp < base + 32 || (gas -= 3) < 0) break
          setWord(sp, u64(isZero(sp)))
          pc++
          continue
        case 0x16: // AND
          if (sp < base + 64 || (gas -= 3) < 0) break
          andWords(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case 0x17: // OR
          if (sp < base + 64 || (gas -= 3) < 0) break
          store<u64>(sp - 32, load<u64>(sp) | load<u64>(sp - 32))
          store<u64>(sp - 32, load<u64>(sp, 8) | load<u64>(sp - 32, 8), 8)
          store<u64>(sp - 32, load<u64>(sp, 16) | load<u64>(sp - 32, 16), 16)
          store<u64>(sp - 32, load<u64>(sp, 24) | load<u64>(sp - 32, 24), 24)
          sp -= 32
          pc++
          continue
        case 0x18: // XOR
          if (sp < base + 64 || (gas -= 3) < 0) break
          store<u64>(sp - 32, load<u64>(sp) ^ load<u64>(sp - 32))
          store<u64>(sp - 32, load<u64>(sp, 8) ^ load<u64>(sp - 32, 8), 8)
          store<u64>(sp - 32, load<u64>(sp, 16) ^ load<u64>(sp - 32, 16), 16)
          store<u64>(sp - 32, load<u64>(sp, 24) ^ load<u64>(sp - 32, 24), 24)
          sp -= 32
          pc++
          continue
        case 0x19: // NOT
          if (sp < base + 32 || (gas -= 3) < 0) break
          store<u64>(sp, ~load<u64>(sp))
          store<u64>(sp, ~load<u64>(sp, 8), 8)
          store<u64>(sp, ~load<u64>(sp, 16), 16)
          store<u64>(sp, ~load<u64>(sp, 24), 24)
          pc++
          continue
        case 0x1a: // BYTE
          if (sp < base + 64 || (gas -= 3) < 0) break
          byteAt(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case 0x1b: // SHL
          if (sp < base + 64 || (gas -= 3) < 0) break
          shiftLeft(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case 0x1c: // SHR
          if (sp < base + 64 || (gas -= 3) < 0) break
          shiftRight(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case 0x1d: // SAR
          if (sp < base + 64 || (gas -= 3) < 0) break
          shiftRightSigned(sp - 32, sp, sp - 32)
          sp -= 32
          pc++
          continue
        case 0x1e: // CLZ (EIP-7939)
          if (sp < base + 32 || (gas -= 5) < 0) break
          setWord(sp, u64(256 - bitLength(sp)))
          pc++
          continue
        case 0x30: // ADDRESS
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          readAddress(sp, load<u32>(frame, SELF))
          pc++
          continue
        case 0x32: // ORIGIN
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          readAddress(sp, ORIGIN)
          pc++
          continue
        case 0x33: // CALLER
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          readAddress(sp, load<u32>(frame, CALLER))
          pc++
          continue
        case 0x34: // CALLVALUE
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          copyWord(sp, frame + VALUE)
          pc++
          continue
        case 0x35: // CALLDATALOAD
          if (sp < base + 32 || (gas -= 3) < 0) break
          loadInput(sp, load<u32>(frame, INPUT), load<u32>(frame, INPUT_SIZE))
          pc++
          continue
        case 0x36: // CALLDATASIZE
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          setWord(sp, load<u32>(frame, INPUT_SIZE))
          pc++
          continue
        case 0x38: // CODESIZE
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          setWord(sp, load<u32>(frame, CODE_LENGTH))
          pc++
          continue
        case 0x3a: // GASPRICE
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          copyWord(sp, GAS_PRICE)
          pc++
          continue
        case 0x3d: // RETURNDATASIZE
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          setWord(sp, machine.returnSize)
          pc++
          continue
        case 0x41: // COINBASE
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          readAddress(sp, block.COINBASE)
          pc++
          continue
        case 0x42: // TIMESTAMP
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          setWord(sp, load<u64>(block.TIMESTAMP))
          pc++
          continue
        case 0x43: // NUMBER
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          setWord(sp, load<u64>(block.NUMBER))
          pc++
          continue
        case 0x44: // PREVRANDAO, DIFFICULTY before Paris
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          copyWord(sp, block.PREV_RANDAO)
          pc++
          continue
        case 0x45: // GASLIMIT
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          setWord(sp, load<u64>(block.GAS_LIMIT))
          pc++
          continue
        case 0x46: // CHAINID
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          copyWord(sp, block.CHAIN_ID)
          pc++
          continue
        case 0x47: // SELFBALANCE
          if (sp >= limit || (gas -= 5) < 0) break
          sp += 32
          copyWord(sp, usize(load<u32>(frame, SELF)) + BALANCE)
          pc++
          continue
        case 0x48: // BASEFEE
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          copyWord(sp, block.BASE_FEE)
          pc++
          continue
        case 0x4a: // BLOBBASEFEE
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          copyWord(sp, block.BLOB_BASE_FEE)
          pc++
          continue
        case 0x50: // POP
          if (sp < base + 32 || (gas -= 2) < 0) break
          sp -= 32
          pc++
          continue
        case 0x51: // MLOAD
          if (sp < base + 32 || (gas -= 3) < 0) break
          if (!isInMemory(sp, 32) && (gas = machine.growMemory(gas, saturate(sp), 32)) < 0) break
          readBytes(sp, machine.memoryBase + usize(load<u64>(sp)))
          pc++
          continue
        case 0x52: // MSTORE
          if (sp < base + 64 || (gas -= 3) < 0) break
          if (!isInMemory(sp, 32) && (gas = machine.growMemory(gas, saturate(sp), 32)) < 0) break
          writeBytes(machine.memoryBase + usize(load<u64>(sp)), sp - 32)
          sp -= 64
          pc++
          continue
        case 0x53: // MSTORE8
          if (sp < base + 64 || (gas -= 3) < 0) break
          if (!isInMemory(sp, 1) && (gas = machine.growMemory(gas, saturate(sp), 1)) < 0) break
          store<u8>(machine.memoryBase + usize(load<u64>(sp)), u8(load<u64>(sp - 32)))
          sp -= 64
          pc++
          continue
        case 0x56: // JUMP
          if (sp < base + 32 || (gas -= 8) < 0) break
          if (!isDestination(frame, sp)) {
            signal = machine.failWith(INVALID_JUMP)
            break
          }
          pc = code + usize(load<u64>(sp))
          sp -= 32
          signal = JUMPED
          break
        case 0x57: // JUMPI
          if (sp < base + 64 || (gas -= 10) < 0) break
          if (isZero(sp - 32)) {
            sp -= 64
            pc++
            continue
          }
          if (!isDestination(frame, sp)) {
            signal = machine.failWith(INVALID_JUMP)
            break
          }
          pc = code + usize(load<u64>(sp))
          sp -= 64
          signal = JUMPED
          break
        case 0x58: // PC
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          setWord(sp, u64(pc - code))
          pc++
          continue
        case 0x59: // MSIZE
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          setWord(sp, machine.memorySize)
          pc++
          continue
        case 0x5a: // GAS
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          setWord(sp, u64(gas))
          pc++
          continue
        case 0x5b: // JUMPDEST
          if ((gas -= 1) < 0) break
          pc++
          continue
        case 0x5f: // PUSH0
          if (sp >= limit || (gas -= 2) < 0) break
          sp += 32
          setWord(sp, 0)
          pc++
          continue
        case 0x60: // PUSH1
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 1)
          pc += 2
          continue
        case 0x61: // PUSH2
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 2)
          pc += 3
          continue
        case 0x62: // PUSH3
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 3)
          pc += 4
          continue
        case 0x63: // PUSH4
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 4)
          pc += 5
          continue
        case 0x64: // PUSH5
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 5)
          pc += 6
          continue
        case 0x65: // PUSH6
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 6)
          pc += 7
          continue
        case 0x66: // PUSH7
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 7)
          pc += 8
          continue
        case 0x67: // PUSH8
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 8)
          pc += 9
          continue
        case 0x68: // PUSH9
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 9)
          pc += 10
          continue
        case 0x69: // PUSH10
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 10)
          pc += 11
          continue
        case 0x6a: // PUSH11
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 11)
          pc += 12
          continue
        case 0x6b: // PUSH12
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 12)
          pc += 13
          continue
        case 0x6c: // PUSH13
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 13)
          pc += 14
          continue
        case 0x6d: // PUSH14
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 14)
          pc += 15
          continue
        case 0x6e: // PUSH15
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 15)
          pc += 16
          continue
        case 0x6f: // PUSH16
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 16)
          pc += 17
          continue
        case 0x70: // PUSH17
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 17)
          pc += 18
          continue
        case 0x71: // PUSH18
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 18)
          pc += 19
          continue
        case 0x72: // PUSH19
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 19)
          pc += 20
          continue
        case 0x73: // PUSH20
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 20)
          pc += 21
          continue
        case 0x74: // PUSH21
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 21)
          pc += 22
          continue
        case 0x75: // PUSH22
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 22)
          pc += 23
          continue
        case 0x76: // PUSH23
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 23)
          pc += 24
          continue
        case 0x77: // PUSH24
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 24)
          pc += 25
          continue
        case 0x78: // PUSH25
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 25)
          pc += 26
          continue
        case 0x79: // PUSH26
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 26)
          pc += 27
          continue
        case 0x7a: // PUSH27
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 27)
          pc += 28
          continue
        case 0x7b: // PUSH28
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 28)
          pc += 29
          continue
        case 0x7c: // PUSH29
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 29)
          pc += 30
          continue
        case 0x7d: // PUSH30
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 30)
          pc += 31
          continue
        case 0x7e: // PUSH31
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 31)
          pc += 32
          continue
        case 0x7f: // PUSH32
          if (sp >= limit || (gas -= 3) < 0) break
          sp += 32
          pushBytes(sp, pc, 32)
          pc += 33
          continue
        case 0x80: // DUP1
          if (sp < base + 32 || sp >= limit || (gas -= 3) < 0) break
          copyWord(sp + 32, sp)
          sp += 32
          pc++
          continue
        case 0x81: // DUP2
          if (sp < base + 64 || sp >= limit || (gas -= 3) < 0) break
          copyWord(sp + 32, sp - 32)
          sp += 32
          pc++
          continue
        case 0x82: // DUP3
          if (sp < base + 96 || sp >= limit || (gas -= 3) < 0) break
          copyWord(sp + 32, sp - 64)
          sp += 32
          pc++
          continue
        case 0x83: // DUP4
          if (sp < base + 128 || sp >= limit || (gas -= 3) < 0) break
          copyWord(sp + 32, sp - 96)
          sp += 32
          pc++
          continue
        case 0x84: // DUP5
          if (sp < base + 160 || sp >= limit || (gas -= 3) < 0) break
          copyWord(sp + 32, sp - 128)
          sp += 32
          pc++
          continue
        case 0x85: // DUP6
          if (sp < base + 192 || sp >= limit || (gas -= 3) < 0) break
          copyWord(sp + 32, sp - 160)
          sp += 32
          pc++
          continue
        case 0x86: // DUP7
          if (sp < base + 224 || sp >= limit || (gas -= 3) < 0) break
          copyWord(sp + 32, sp - 192)
          sp += 32
          pc++
          continue
        case 0x87: // DUP8
          if (sp < base + 256 || sp >= limit || (gas -= 3) < 0) break
          copyWord(sp + 32, sp - 224)
          sp += 32
          pc++
          continue
        case 0x88: // DUP9
          if (sp < base + 288 || sp >= limit || (gas -= 3) < 0) break
          copyWord(sp + 32, sp - 256)
          sp += 32
          pc++
          continue
        case 0x89: // DUP10
          if (sp < base + 320 || sp >= limit || (gas -= 3) < 0) break
          copyWord(sp + 32, sp - 288)
          sp += 32
          pc++
          continue
        case 0x8a: // DUP11
          if (sp < base + 352 || sp >= limit || (gas -= 3) < 0) break
          copyWord(sp + 32, sp - 320)
          sp += 32
          pc++
          continue
        case 0x8b: // DUP12
          if (sp < base + 384 || sp >= limit || (gas -= 3) < 0) break
          copyWord(sp + 32, sp - 352)
          sp += 32
          pc++
          continue
        case 0x8c: // DUP13
          if (sp < base + 416 || sp >= limit || (gas -= 3) < 0) break
          copyWord(sp + 32, sp - 384)
          sp += 32
          pc++
          continue
        case 0x8d: // DUP14
          if (sp < base + 448 || sp >= limit || (gas -= 3) < 0) break
          copyWord(sp + 32, sp - 416)
          sp += 32
          pc++
          continue
        case 0x8e: // DUP15
          if (sp < base + 480 || sp >= limit || (gas -= 3) < 0) break
          copyWord(sp + 32, sp - 448)
          sp += 32
          pc++
          continue
        case 0x8f: // DUP16
          if (sp < base + 512 || sp >= limit || (gas -= 3) < 0) break
          copyWord(sp + 32, sp - 480)
          sp += 32
          pc++
          continue
        case 0x90: // SWAP1
          if (sp < base + 64 || (gas -= 3) < 0) break
          swapWords(sp, sp - 32)
          pc++
          continue
        case 0x91: // SWAP2
          if (sp < base + 96 || (gas -= 3) < 0) break
          swapWords(sp, sp - 64)
          pc++
          continue
        case 0x92: // SWAP3
          if (sp < base + 128 || (gas -= 3) < 0) break
          swapWords(sp, sp - 96)
          pc++
          continue
        case 0x93: // SWAP4
          if (sp < base + 160 || (gas -= 3) < 0) break
          swapWords(sp, sp - 128)
          pc++
          continue
        case 0x94: // SWAP5
          if (sp < base + 192 || (gas -= 3) < 0) break
          swapWords(sp, sp - 160)
          pc++
          continue
        case 0x95: // SWAP6
          if (sp < base + 224 || (gas -= 3) < 0) break
          swapWords(sp, sp - 192)
          pc++
          continue
        case 0x96: // SWAP7
          if (sp < base + 256 || (gas -= 3) < 0) break
          swapWords(sp, sp - 224)
          pc++
          continue
        case 0x97: // SWAP8
          if (sp < base + 288 || (gas -= 3) < 0) break
          swapWords(sp, sp - 256)
          pc++
          continue
        case 0x98: // SWAP9
          if (sp < base + 320 || (gas -= 3) < 0) break
          swapWords(sp, sp - 288)
          pc++
          continue
        case 0x99: // SWAP10
          if (sp < base + 352 || (gas -= 3) < 0) break
          swapWords(sp, sp - 320)
          pc++
          continue
        case 0x9a: // SWAP11
          if (sp < base + 384 || (gas -= 3) < 0) break
          swapWords(sp, sp - 352)
          pc++
          continue
        case 0x9b: // SWAP12
          if (sp < base + 416 || (gas -= 3) < 0) break
          swapWords(sp, sp - 384)
          pc++
          continue
        case 0x9c: // SWAP13
          if (sp < base + 448 || (gas -= 3) < 0) break
          swapWords(sp, sp - 416)
          pc++
          continue
        case 0x9d: // SWAP14
          if (sp < base + 480 || (gas -= 3) < 0) break
          swapWords(sp, sp - 448)
          pc++
          continue
        case 0x9e: // SWAP15
          if (sp < base + 512 || (gas -= 3) < 0) break
          swapWords(sp, sp - 480)
          pc++
          continue
        case 0x9f: // SWAP16
          if (sp < base + 544 || (gas -= 3) < 0) break
          swapWords(sp, sp - 512)
          pc++
          continue
        // Cold: each ends in a call, so what it costs to leave the loop does not count
        case 0x0a:
        case 0x20:
        case 0x31:
        case 0x37:
        case 0x39:
        case 0x3b:
        case 0x3c:
        case 0x3e:
        case 0x3f:
        case 0x40:
        case 0x49:
        case 0x54:
        case 0x55:
        case 0x5c:
        case 0x5d:
        case 0x5e:
        case 0xa0:
        case 0xa1:
        case 0xa2:
        case 0xa3:
        case 0xa4:
        case 0xf0:
        case 0xf1:
        case 0xf2:
        case 0xf3:
        case 0xf4:
        case 0xf5:
        case 0xfa:
        case 0xfd:
        case 0xff:
          if (sp < base + (usize(wordsTaken(opcode)) << 5)) break
          machine.setRegisters(pc - code, sp, gas)
          signal = runCold(opcode)
          if (signal != NEXT) break
          if (machine.exhausted) {
            signal = SWITCH
            break
          }
          sp = machine.sp
          gas = machine.gas
          pc++
          continue
        // Superinstructions (fusion.ts): the checks of the whole sequence, then its work
        case 0x0c: // PUSH1 ADD
          if (sp < base + 32 || sp >= limit || gas < 6) break
          gas -= 6
          addByte(sp, u64(load<u8>(pc, 1)))
          pc += 3
          continue
        case 0x0d: // PUSH1 SHL
          if (sp < base + 32 || sp >= limit || gas < 6) break
          gas -= 6
          setWord(sp + 32, u64(load<u8>(pc, 1)))
          shiftLeft(sp, sp + 32, sp)
          pc += 3
          continue
        case 0x0e: // PUSH1 SHR
          if (sp < base + 32 || sp >= limit || gas < 6) break
          gas -= 6
          setWord(sp + 32, u64(load<u8>(pc, 1)))
          shiftRight(sp, sp + 32, sp)
          pc += 3
          continue
        case 0x0f: // PUSH1 MUL
          if (sp < base + 32 || sp >= limit || gas < 8) break
          gas -= 8
          multiplyByByte(sp, u64(load<u8>(pc, 1)))
          pc += 3
          continue
        case 0x1f: // PUSH1 AND
          if (sp < base + 32 || sp >= limit || gas < 6) break
          gas -= 6
          setWord(sp, load<u64>(sp) & u64(load<u8>(pc, 1)))
          pc += 3
          continue
        case 0x21: // PUSH1 MLOAD
          if (sp >= limit || gas < 6) break
          gas -= 6
          if (u64(load<u8>(pc, 1)) + 32 > machine.memorySize) {
            if ((gas = machine.growMemory(gas, u64(load<u8>(pc, 1)), 32)) < 0) break
          }
          sp += 32
          readBytes(sp, machine.memoryBase + usize(load<u8>(pc, 1)))
          pc += 3
          continue
        case 0x22: // PUSH1 MSTORE
          if (sp < base + 32 || sp >= limit || gas < 6) break
          gas -= 6
          if (u64(load<u8>(pc, 1)) + 32 > machine.memorySize) {
            if ((gas = machine.growMemory(gas, u64(load<u8>(pc, 1)), 32)) < 0) break
          }
          writeBytes(machine.memoryBase + usize(load<u8>(pc, 1)), sp)
          sp -= 32
          pc += 3
          continue
        case 0x23: // PUSH1 JUMP
          if (sp >= limit || gas < 11) break
          gas -= 11
          pc = code + usize(load<u8>(pc, 1))
          signal = JUMPED
          break
        case 0x2f: // PUSH2 JUMP
          if (sp >= limit || gas < 11) break
          gas -= 11
          pc = code + farTarget(pc)
          signal = JUMPED
          break
        case 0x24: // PUSH1 JUMPI
          if (sp < base + 32 || sp >= limit || gas < 13) break
          gas -= 13
          sp -= 32
          if (isZero(sp + 32)) {
            pc += 3
            continue
          }
          pc = code + usize(load<u8>(pc, 1))
          signal = JUMPED
          break
        case 0x4b: // PUSH2 JUMPI
          if (sp < base + 32 || sp >= limit || gas < 13) break
          gas -= 13
          sp -= 32
          if (isZero(sp + 32)) {
            pc += 4
            continue
          }
          pc = code + farTarget(pc)
          signal = JUMPED
          break
        case 0x4d: // LT PUSHn JUMPI
          if (sp < base + 64 || gas < 16) break
          gas -= 16
          sp -= 64
          pc += 1
          if (!isLess(sp + 64, sp + 32)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case 0x4e: // LT ISZERO PUSHn JUMPI
          if (sp < base + 64 || gas < 19) break
          gas -= 19
          sp -= 64
          pc += 2
          if (isLess(sp + 64, sp + 32)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case 0x4f: // GT PUSHn JUMPI
          if (sp < base + 64 || gas < 16) break
          gas -= 16
          sp -= 64
          pc += 1
          if (!isLess(sp + 32, sp + 64)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case 0xa5: // GT ISZERO PUSHn JUMPI
          if (sp < base + 64 || gas < 19) break
          gas -= 19
          sp -= 64
          pc += 2
          if (isLess(sp + 32, sp + 64)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case 0xa6: // EQ PUSHn JUMPI
          if (sp < base + 64 || gas < 16) break
          gas -= 16
          sp -= 64
          pc += 1
          if (!equalWords(sp + 32, sp + 64)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case 0xa7: // SLT ISZERO PUSHn JUMPI
          if (sp < base + 64 || gas < 19) break
          gas -= 19
          sp -= 64
          pc += 2
          if (isLessSigned(sp + 64, sp + 32)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case 0xa9: // ISZERO PUSHn JUMPI
          if (sp < base + 32 || sp >= limit || gas < 16) break
          gas -= 16
          sp -= 32
          pc += 1
          if (!isZero(sp + 32)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case 0xaa: // ISZERO ISZERO PUSHn JUMPI
          if (sp < base + 32 || sp >= limit || gas < 19) break
          gas -= 19
          sp -= 32
          pc += 2
          if (isZero(sp + 32)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case 0xab: // DUP1 ISZERO PUSHn JUMPI
          if (sp < base + 32 || sp > limit - 64 || gas < 19) break
          gas -= 19
          pc += 2
          if (!isZero(sp)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case 0xac: // DUP2 LT ISZERO PUSHn JUMPI
          if (sp < base + 64 || sp >= limit || gas < 22) break
          gas -= 22
          sp -= 32
          pc += 3
          if (isLess(sp, sp + 32)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case 0xad: // DUP2 ISZERO ISZERO PUSHn JUMPI
          if (sp < base + 64 || sp > limit - 64 || gas < 22) break
          gas -= 22
          pc += 3
          if (isZero(sp - 32)) {
            pc += branchLength(pc)
            continue
          }
          pc = code + branchTarget(pc)
          signal = JUMPED
          break
        case 0x2a: {
          // PUSH1 DUP2 LT PUSHn JUMPI
          if (sp < base + 32 || sp > limit - 64 || gas < 22) break
          gas -= 22
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
        case 0x2b: {
          // PUSH1 DUP2 LT ISZERO PUSHn JUMPI
          if (sp < base + 32 || sp > limit - 64 || gas < 25) break
          gas -= 25
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
        case 0x2c: {
          // PUSH1 DUP2 EQ PUSHn JUMPI
          if (sp < base + 32 || sp > limit - 64 || gas < 22) break
          gas -= 22
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
        case 0xc5: {
          // DUP1 PUSH4 EQ PUSHn JUMPI
          if (sp < base + 32 || sp > limit - 64 || gas < 22) break
          gas -= 22
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
        case 0x25: // PUSH1 PUSH1 PUSH1 SHL SUB
          if (sp > limit - 96 || gas < 15) break
          gas -= 15
          sp += 32
          makeMask(sp, load<u8>(pc, 1), load<u8>(pc, 3), load<u8>(pc, 5))
          pc += 8
          continue
        case 0x27: // PUSH1 PUSH1
          if (sp > limit - 64 || gas < 6) break
          gas -= 6
          setWord(sp + 32, u64(load<u8>(pc, 1)))
          setWord(sp + 64, u64(load<u8>(pc, 3)))
          sp += 64
          pc += 4
          continue
        case 0x28: // PUSH1 DUP1
          if (sp > limit - 64 || gas < 6) break
          gas -= 6
          setWord(sp + 32, u64(load<u8>(pc, 1)))
          setWord(sp + 64, u64(load<u8>(pc, 1)))
          sp += 64
          pc += 3
          continue
        case 0x29: // PUSH1 DUP2
          if (sp < base + 32 || sp > limit - 64 || gas < 6) break
          gas -= 6
          setWord(sp + 32, u64(load<u8>(pc, 1)))
          copyWord(sp + 64, sp)
          sp += 64
          pc += 3
          continue
        case 0x2d: // PUSH1 DUP1 MLOAD
          if (sp > limit - 64 || gas < 9) break
          gas -= 9
          if (u64(load<u8>(pc, 1)) + 32 > machine.memorySize) {
            if ((gas = machine.growMemory(gas, u64(load<u8>(pc, 1)), 32)) < 0) break
          }
          setWord(sp + 32, u64(load<u8>(pc, 1)))
          sp += 64
          readBytes(sp, machine.memoryBase + usize(load<u8>(pc, 1)))
          pc += 4
          continue
        case 0xc3: // PUSH1 SHR AND
          if (sp < base + 64 || sp >= limit || gas < 9) break
          gas -= 9
          setWord(sp + 32, u64(load<u8>(pc, 1)))
          shiftRight(sp, sp + 32, sp)
          andWords(sp - 32, sp, sp - 32)
          sp -= 32
          pc += 4
          continue
        case 0xc0: // ADD MLOAD
          if (sp < base + 64 || gas < 6) break
          gas -= 6
          addWords(sp - 32, sp, sp - 32)
          sp -= 32
          if (!isInMemory(sp, 32) && (gas = machine.growMemory(gas, saturate(sp), 32)) < 0) {
            signal = machine.failWith(OUT_OF_GAS)
            break
          }
          readBytes(sp, machine.memoryBase + usize(load<u64>(sp)))
          pc += 2
          continue
        case 0xc1: // ADD SWAP1 POP
          if (sp < base + 96 || gas < 8) break
          gas -= 8
          addWords(sp - 64, sp, sp - 32)
          sp -= 64
          pc += 3
          continue
        case 0xc2: // AND OR
          if (sp < base + 96 || gas < 6) break
          gas -= 6
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
        case 0xbe: // POP POP
          if (sp < base + 64 || gas < 4) break
          gas -= 4
          sp -= 64
          pc += 2
          continue
        case 0xae: // DUP2 MSTORE
          if (sp < base + 64 || sp >= limit || gas < 6) break
          gas -= 6
          if (
            !isInMemory(sp - 32, 32) &&
            (gas = machine.growMemory(gas, saturate(sp - 32), 32)) < 0
          )
            break
          writeBytes(machine.memoryBase + usize(load<u64>(sp - 32)), sp)
          sp -= 32
          pc += 2
          continue
        case 0xaf: // DUP1 MLOAD
          if (sp < base + 32 || sp >= limit || gas < 6) break
          gas -= 6
          if (!isInMemory(sp, 32) && (gas = machine.growMemory(gas, saturate(sp), 32)) < 0) break
          readBytes(sp + 32, machine.memoryBase + usize(load<u64>(sp)))
          sp += 32
          pc += 2
          continue
        case 0xb0: // DUP2 ADD
          if (sp < base + 64 || sp >= limit || gas < 6) break
          gas -= 6
          addWords(sp, sp, sp - 32)
          pc += 2
          continue
        case 0xb4: // DUP2 DUP2
          if (sp < base + 64 || sp > limit - 64 || gas < 6) break
          gas -= 6
          copyWord(sp + 32, sp - 32)
          copyWord(sp + 64, sp)
          sp += 64
          pc += 2
          continue
        case 0xb1: // DUP3 AND
          if (sp < base + 96 || sp >= limit || gas < 6) break
          gas -= 6
          andWords(sp, sp, sp - 64)
          pc += 2
          continue
        case 0xb2: // DUP4 AND
          if (sp < base + 128 || sp >= limit || gas < 6) break
          gas -= 6
          andWords(sp, sp, sp - 96)
          pc += 2
          continue
        case 0xb8: // SWAP1 POP
          if (sp < base + 64 || gas < 5) break
          gas -= 5
          copyWord(sp - 32, sp)
          sp -= 32
          pc += 2
          continue
        case 0xb9: // SWAP2 POP
          if (sp < base + 96 || gas < 5) break
          gas -= 5
          copyWord(sp - 64, sp)
          sp -= 32
          pc += 2
          continue
        case 0xba: // SWAP3 POP
          if (sp < base + 128 || gas < 5) break
          gas -= 5
          copyWord(sp - 96, sp)
          sp -= 32
          pc += 2
          continue
        case 0xbb: // SWAP4 POP
          if (sp < base + 160 || gas < 5) break
          gas -= 5
          copyWord(sp - 128, sp)
          sp -= 32
          pc += 2
          continue
        case 0xbc: // SWAP5 POP
          if (sp < base + 192 || gas < 5) break
          gas -= 5
          copyWord(sp - 160, sp)
          sp -= 32
          pc += 2
          continue
        case 0xbf: // SWAP1 MSTORE
          if (sp < base + 64 || gas < 6) break
          gas -= 6
          if (
            !isInMemory(sp - 32, 32) &&
            (gas = machine.growMemory(gas, saturate(sp - 32), 32)) < 0
          )
            break
          writeBytes(machine.memoryBase + usize(load<u64>(sp - 32)), sp)
          sp -= 64
          pc += 2
          continue
        // Unassigned
        case 0x26:
        case 0x2e:
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
        case 0xe6:
        case 0xe7:
        case 0xe8:
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
        case 0xfe: // INVALID, and what the revision does not assign
          signal = invalidOpcode(frame, pc - code)
          break
      }

      if (signal == JUMPED) {
        signal = NEXT
        if (!isTraced<Mode>()) {
          // The JUMPDEST
          if ((gas -= 1) < 0) signal = machine.failWith(OUT_OF_GAS)
          pc++
        }
        if (signal == NEXT) {
          if (--fuel >= 0) continue
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
          setStepFault(machine.fault, machine.faultDetail)
          if (machine.fault == NONE || machine.fault == REVERTED) {
            setStepCost(u64(before - machine.gas))
          } else {
            undoStep()
            machine.setMemory(machine.memoryBase, memorySize)
            setStepCost(
              failedStepCost(opcode, machine.fault, machine.faultDetail, writtenAt, before),
            )
          }
          // What the frame changed is there until the host has seen the step
          if (isDrainDue()) {
            machine.setEnding(true)
            return TRACE_FULL
          }
        }
        leaveFrame()
      } else if (signal == SWITCH) {
        if (isTraced<Mode>()) setStepCost(u64(before - machine.gas))
      } else if (signal == DRAIN || signal == WORKED) {
        if (isTraced<Mode>()) {
          setStepCost(u64(before - machine.gas))
          if (keepsMemory) traceWrite(written, writtenAt)
        }
        suspend(pc - code + 1, machine.sp, machine.gas)
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
