import { bitLength } from '../u256/word'
import { byte, signed } from './bytes'
import { OPERANDS } from './layout'
import { getId, keepResult, releaseLocal, retainLocal } from './local'
import { I64_CONST } from './wasm'

/**
 * A symbolic word: four limbs, each of which is a local or a number, and a bound of its bits. Limbs above the bound
 * are the number 0. The numbers lie together, so that a constant value is a word of u256/.
 */
export const VALUE_SIZE: usize = 64
const NUMBERS: usize = 16
const BITS: usize = 48
const NUMBER: u32 = 0xffffffff

/** Operands of an opcode, the first from the top of the stack, and its result. */
export const A: usize = OPERANDS
export const B: usize = OPERANDS + VALUE_SIZE
export const C: usize = OPERANDS + 2 * VALUE_SIZE
export const RESULT: usize = OPERANDS + 3 * VALUE_SIZE

@inline
export function localOf(value: usize, limb: u32): u32 {
  return load<u32>(value + (usize(limb) << 2))
}

@inline
export function isNumber(value: usize, limb: u32): bool {
  return localOf(value, limb) == NUMBER
}

@inline
export function numberOf(value: usize, limb: u32): u64 {
  return load<u64>(value + (usize(limb) << 3), NUMBERS)
}

/** Returns the address of the word of a constant. */
@inline
export function wordOf(value: usize): usize {
  return value + NUMBERS
}

@inline
export function isLimb(value: usize, limb: u32, number: u64): bool {
  return isNumber(value, limb) && numberOf(value, limb) == number
}

export function isConstant(value: usize): bool {
  return isNumber(value, 0) && isNumber(value, 1) && isNumber(value, 2) && isNumber(value, 3)
}

@inline
export function bitsOf(value: usize): u32 {
  return load<u32>(value, BITS)
}

/** Returns the number of limbs that may not be zero. */
@inline
export function limbsOf(value: usize): u32 {
  return (bitsOf(value) + 63) >> 6
}

/** Returns the value of a constant below 2^32, or -1. */
export function smallConstant(value: usize): i64 {
  if (!isConstant(value) || bitsOf(value) > 32) return -1
  return i64(numberOf(value, 0))
}

export function setBits(value: usize, bits: u32): void {
  store<u32>(value, min<u32>(bits, 256), BITS)
}

export function setLocal(value: usize, limb: u32, id: u32): void {
  store<u32>(value + (usize(limb) << 2), id)
}

export function setNumber(value: usize, limb: u32, number: u64): void {
  setLocal(value, limb, NUMBER)
  store<u64>(value + (usize(limb) << 3), number, NUMBERS)
}

/** Makes the value a number of at most `bits` bits. Its limbs are zero. */
export function clearValue(value: usize, bits: u32): void {
  for (let limb: u32 = 0; limb < 4; limb++) setNumber(value, limb, 0)
  setBits(value, bits)
}

/** Makes a value of the word at `wordOf(value)`. */
export function finishConstant(value: usize): void {
  store<u64>(value, -1)
  store<u64>(value, -1, 8)
  setBits(value, bitLength(value + NUMBERS))
}

export function setSmallConstant(value: usize, number: u64): void {
  clearValue(value, 0)
  setNumber(value, 0, number)
  setBits(value, 64 - u32(clz(number)))
}

export function retain(value: usize): void {
  for (let limb: u32 = 0; limb < 4; limb++) {
    if (!isNumber(value, limb)) retainLocal(localOf(value, limb))
  }
}

export function release(value: usize): void {
  for (let limb: u32 = 0; limb < 4; limb++) {
    if (!isNumber(value, limb)) releaseLocal(localOf(value, limb))
  }
}

export function constant(number: u64): void {
  byte(I64_CONST)
  signed(i64(number))
}

/** Emits a limb. */
export function getLimb(value: usize, limb: u32): void {
  if (isNumber(value, limb)) constant(numberOf(value, limb))
  else getId(localOf(value, limb))
}

/** Moves the last instruction's result into a limb of the result. */
export function setLimb(limb: u32): void {
  setLocal(RESULT, limb, keepResult())
}

/** Makes a limb of the result that of an operand. */
export function copyLimb(limb: u32, value: usize, from: u32): void {
  if (isNumber(value, from)) {
    setNumber(RESULT, limb, numberOf(value, from))
  } else {
    retainLocal(localOf(value, from))
    setLocal(RESULT, limb, localOf(value, from))
  }
}
