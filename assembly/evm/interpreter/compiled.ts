import * as op from '../../generated/opcode'
import { REGION } from '../../generated/superinstruction'
import { REGION_EXIT, REGION_WORDS } from '../../layout'
import { copyBytes } from '../../u256/bytes'
import { addModulo, divide, divideSigned, modulo, moduloSigned } from '../../u256/divide'
import { multiplyModulo } from '../../u256/modulus'
import { multiply } from '../../u256/multiply'
import { byteAt, extendSign, shiftLeft, shiftRight, shiftRightSigned } from '../../u256/shift'
import { bitLength, copyWord, readAddress, readBytes, saturate, setWord } from '../../u256/word'
import * as block from '../context/block'
import { GAS_PRICE, ORIGIN } from '../context/message-layout'
import { CALLER, CODE_LENGTH, INPUT, INPUT_SIZE, SELF, top, VALUE } from '../frame/frame'
import { runOutOfLine } from '../instruction/out-of-line'
import { growMemory } from '../machine/memory'
import * as registers from '../machine/registers'
import { NEXT, SWITCH } from '../signal'
import { BALANCE } from '../state/account'
import { functionAt } from '../state/region'

/** Runs compiled regions of code (compile/README.md), and what they call. */

// How a region ends (compile/exit.ts)
const JUMPED: u32 = 1
const SIGNALLED: u32 = 2

const A: usize = REGION_WORDS
const B: usize = REGION_WORDS + 32
const C: usize = REGION_WORDS + 64

/**
 * Runs the region at `pc`, and those that it jumps to. Returns a signal: NEXT to execute the opcode at the offset
 * `registers.pc`. The other registers are set too. Returns the fuel left in `fuelLeft`.
 */
export function runRegions(
  base: usize,
  code: usize,
  pc: usize,
  sp: usize,
  gas: i64,
  fuel: i32,
): i32 {
  while (true) {
    const end = u32(call_indirect<i32>(functionAt(pc), base, sp, gas, fuel))
    pc = code + usize(end >> 2)
    sp = usize(load<u32>(REGION_EXIT))
    fuel = load<i32>(REGION_EXIT, 4)
    gas = load<i64>(REGION_EXIT, 8)
    const kind = end & 3
    if (kind == JUMPED && --fuel >= 0 && load<u8>(pc) == REGION) continue
    store<u32>(REGION_EXIT, u32(pc), 20)
    store<i32>(REGION_EXIT, fuel, 4)
    if (kind != SIGNALLED) return NEXT
    // The opcode's operands are still on the stack, unless it has set the registers
    store<u32>(REGION_EXIT, load<u32>(REGION_EXIT, 24))
    return load<i32>(REGION_EXIT, 16)
  }
}

/** For compiled code: grows the EVM memory, and returns the gas left, negative if it does not suffice. */
export function growForRegion(offset: u64, size: u64, gas: i64): i64 {
  return growMemory(gas, offset, size)
}

/**
 * For compiled code: executes an opcode outside the loop and returns its signal. Notes the stack pointer, since a region
 * that ends with a signal writes no operands of the opcode.
 */
export function instructForRegion(opcode: u32, pc: usize, sp: usize, gas: i64): i32 {
  registers.setRegisters(pc, sp, gas)
  store<u32>(REGION_EXIT, u32(sp), 24)
  const signal = runOutOfLine(opcode)
  return signal == NEXT && registers.exhausted ? SWITCH : signal
}

/** CALLDATALOAD: replaces the offset in A by the 32 bytes there, with zeros past the end. */
function loadInput(): void {
  const offset = saturate(A)
  const input: usize = load<u32>(top, INPUT)
  const size = u64(load<u32>(top, INPUT_SIZE))
  if (offset + 32 <= size && offset < size) return readBytes(A, input + usize(offset))
  setWord(A, 0)
  if (offset >= size) return
  copyBytes(A, input + usize(offset), usize(size - offset))
  readBytes(A, A)
}

/** For compiled code: MUL of the words from A on, and writes the result to A. */
export function multiplyForRegion(): void {
  multiply(A, A, B)
}

/** For compiled code: ADDMOD of the words from A on, and writes the result to A. */
export function addModuloForRegion(): void {
  addModulo(A, A, B, C)
}

/** For compiled code: MULMOD of the words from A on, and writes the result to A. */
export function multiplyModuloForRegion(): void {
  multiplyModulo(A, A, B, C)
}

/** For compiled code: computes an opcode of the words from A on, and writes the result to A. */
export function computeForRegion(opcode: u32): void {
  switch (opcode) {
    case op.DIV:
      return divide(A, A, B)
    case op.SDIV:
      return divideSigned(A, A, B)
    case op.MOD:
      return modulo(A, A, B)
    case op.SMOD:
      return moduloSigned(A, A, B)
    case op.SIGNEXTEND:
      extendSign(B, A)
      return copyWord(A, B)
    case op.BYTE:
      return byteAt(A, A, B)
    case op.SHL:
      return shiftLeft(A, A, B)
    case op.SHR:
      return shiftRight(A, A, B)
    case op.SAR:
      return shiftRightSigned(A, A, B)
    case op.CLZ:
      return setWord(A, u64(256 - bitLength(A)))
    case op.CALLDATALOAD:
      return loadInput()
    case op.ADDRESS:
      return readAddress(A, load<u32>(top, SELF))
    case op.ORIGIN:
      return readAddress(A, ORIGIN)
    case op.CALLER:
      return readAddress(A, load<u32>(top, CALLER))
    case op.CALLVALUE:
      return copyWord(A, top + VALUE)
    case op.CALLDATASIZE:
      return setWord(A, load<u32>(top, INPUT_SIZE))
    case op.CODESIZE:
      return setWord(A, load<u32>(top, CODE_LENGTH))
    case op.GASPRICE:
      return copyWord(A, GAS_PRICE)
    case op.COINBASE:
      return readAddress(A, block.COINBASE)
    case op.TIMESTAMP:
      return setWord(A, load<u64>(block.TIMESTAMP))
    case op.NUMBER:
      return setWord(A, load<u64>(block.NUMBER))
    case op.PREVRANDAO:
      return copyWord(A, block.PREV_RANDAO)
    case op.GASLIMIT:
      return setWord(A, load<u64>(block.GAS_LIMIT))
    case op.CHAINID:
      return copyWord(A, block.CHAIN_ID)
    case op.SELFBALANCE:
      return copyWord(A, usize(load<u32>(top, SELF)) + BALANCE)
    case op.BASEFEE:
      return copyWord(A, block.BASE_FEE)
    case op.SLOTNUM:
      return setWord(A, load<u64>(block.SLOT_NUMBER))
    case op.BLOBBASEFEE:
      return copyWord(A, block.BLOB_BASE_FEE)
    default:
      unreachable()
  }
}
