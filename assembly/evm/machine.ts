import { CALL_GAS, GAS_OVERFLOW, MEMORY_OVERFLOW, OUT_OF_GAS, WRITE } from '../generated/fault'
import { MEMORY_SQUARE_DIVISOR, MEMORY_WORD } from '../generated/gas'
import {
  MEMORIES,
  MEMORIES_END,
  OVERFLOW,
  OVERFLOW_END,
  RETURN_DATA,
  RETURN_DATA_SIZE,
  STACKS,
} from '../layout'
import { clearBytes, copyBytes } from '../u256/bytes'
import { END } from './status'

/**
 * The registers: what the running frame and the instruction in progress share with the functions
 * that the interpreter calls. The interpreter keeps pc, sp and gas in locals and spills them here
 * around each call.
 */

/** Address of the current opcode in the running copy of the code. */
export let pc: usize = 0
/** Address of the top word of the stack. */
export let sp: usize = STACKS
export let gas: i64 = 0

/** The running frame's EVM memory and its size, a multiple of 32. */
export let memoryBase: usize = MEMORIES
export let memorySize: u64 = 0

/** Where EVM memories must end: transient storage grows down to here. */
export let memoryLimit: usize = MEMORIES_END

/** First byte that no frame below OVERFLOW uses, while the running frame's memory lies beyond it. */
let floor: usize = MEMORIES

/** Where transient storage must end: above what lies in MEMORIES. */
export function transientFloor(): usize {
  return memoryBase < OVERFLOW ? memoryBase + usize(memorySize) : floor
}

/** Output of the last call: RETURNDATASIZE and RETURNDATACOPY. It lies at RETURN_DATA. */
export let returnSize: u32 = 0

/** Set when a region of memory is full: the run ends with an engine error. */
export let exhausted: bool = false

/** How the current frame ends: a fault of generated/fault.ts, what belongs in its text, and the output. */
export let fault: i32 = 0
export let faultDetail: u64 = 0
export let output: usize = 0
export let outputSize: u32 = 0
/** Set while the host reads the trace of the opcode at which the frame ends. */
export let isEnding: bool = false

/**
 * Fuel for a unit of gas of hashes and precompiles: these take a millisecond for some 65,000 gas, as code does
 * for 2^17 jumps.
 */
const FUEL_A_GAS: u64 = 2
const MOST_FUEL: u64 = 1 << 30
/** Fuel that they used and that was not taken from the run's yet. */
let spentFuel: i32 = 0

/** Counts work that no jump stands for. */
export function spendFuel(forGas: u64): void {
  spentFuel = i32(min(u64(spentFuel) + min(forGas, MOST_FUEL) * FUEL_A_GAS, MOST_FUEL))
}

export function takeSpentFuel(): i32 {
  const fuel = spentFuel
  spentFuel = 0
  return fuel
}

export function setRegisters(newPc: usize, newSp: usize, newGas: i64): void {
  pc = newPc
  sp = newSp
  gas = newGas
}

export function setGas(value: i64): void {
  gas = value
}

export function setSp(value: usize): void {
  sp = value
}

export function setMemory(base: usize, size: u64): void {
  memoryBase = base
  memorySize = size
}

export function setMemoryLimit(limit: usize): void {
  memoryLimit = limit
}

export function setReturnSize(size: u32): void {
  returnSize = size
}

/** Keeps `size` bytes as the return data. */
export function keepReturnData(from: usize, size: u32): void {
  if (size > RETURN_DATA_SIZE) {
    exhausted = true
    returnSize = 0
    return
  }
  if (from != RETURN_DATA) copyBytes(RETURN_DATA, from, size)
  returnSize = size
}

export function setExhausted(value: bool): void {
  exhausted = value
}

export function setEnding(value: bool): void {
  isEnding = value
}

/** Set where the size of a memory, or its price, passes 64 bits: geth names that first. */
let sizeOverflows: bool = false
let priceOverflows: bool = false

/** True once the memory asked for has been found to be so large that it has no price. */
export function hasNoPrice(): bool {
  return priceOverflows
}

/** Notes why the frame fails; gives the signal END for the caller to return. */
export function failWith(error: i32, detail: u64 = 0): i32 {
  fault = error
  faultDetail = detail
  if (sizeOverflows) {
    fault = GAS_OVERFLOW
  } else if (priceOverflows && detail != CALL_GAS && detail != WRITE) {
    fault = OUT_OF_GAS
    faultDetail = MEMORY_OVERFLOW
  }
  sizeOverflows = false
  priceOverflows = false
  output = memoryBase
  outputSize = 0
  return END
}

/** Notes how the frame ends, its gas being what is left; gives the signal END. */
export function endWith(error: i32, at: usize, size: u32): i32 {
  fault = error
  faultDetail = 0
  output = at
  outputSize = size
  return END
}

/**
 * Address of `size` bytes at `offset` of the EVM memory. The offset of no bytes may be any number:
 * it must not become an address, since even an empty copy traps beyond the engine's memory.
 */
@inline
export function rangeAt(offset: u64, size: u64): usize {
  return size == 0 ? memoryBase : memoryBase + usize(offset)
}

/** Sizes above it are no whole number of words within 64 bits. */
const LARGEST_SIZE: u64 = 0xffffffffffffffe0
/** Memory beyond this has no price (geth, core/vm/gas_table.go). */
export const LARGEST_MEMORY: u64 = 0x1fffffffe0

/** Gas of a memory of `words` words (yellow paper, C_mem). */
@inline
export function memoryGas(words: u64): u64 {
  return MEMORY_WORD * words + (words * words) / MEMORY_SQUARE_DIVISOR
}

/** Gas to expand the memory to hold `size` bytes at `offset`; u64.MAX_VALUE when nobody can pay. */
export function expansionGas(offset: u64, size: u64): u64 {
  if (size == 0) return 0
  const end = offset + size
  // 2^36 bytes cost more than 2^52 gas; larger sums could wrap
  if (offset >= 1 << 36 || size >= 1 << 36) {
    if (end < offset || end > LARGEST_SIZE) sizeOverflows = true
    else if (end > LARGEST_MEMORY) priceOverflows = true
    return u64.MAX_VALUE
  }
  if (end <= memorySize) return 0
  return memoryGas((end + 31) >> 5) - memoryGas(memorySize >> 5)
}

/** Pages that the memory grows by at least: 16 MiB. */
const STEP: i32 = 256

/**
 * Makes room for a memory of `size` bytes where there is none below `memoryLimit`: beyond all regions, in
 * pages that are new. The running frame's moves there with what it holds; those of the frames below it
 * stay, since their calls have kept addresses. False when there is no more memory.
 */
export function makeRoom(size: u64): bool {
  const base = max(memoryBase, OVERFLOW)
  const end = u64(base) + size
  if (end > OVERFLOW_END) return false
  const missing = i32((end + 0xffff) >> 16) - memory.size()
  if (missing > 0 && memory.grow(max(missing, STEP)) < 0 && memory.grow(missing) < 0) return false
  if (base != memoryBase) {
    memory.copy(base, memoryBase, usize(memorySize))
    floor = memoryBase
    memoryBase = base
  }
  return true
}

/** Expands the memory, whose gas is paid. */
export function expandMemory(offset: u64, size: u64): void {
  if (size == 0) return
  const end = (offset + size + 31) & ~31
  if (end <= memorySize) return
  if (u64(memoryBase) + end > u64(memoryLimit) && !makeRoom(end)) {
    exhausted = true
    return
  }
  clearBytes(memoryBase + usize(memorySize), usize(end - memorySize))
  memorySize = end
}

/**
 * Zeroes what an expansion would add, without expanding: an opcode that may yet stop for the host
 * can read it. False when the region of memory is full.
 */
export function clearAhead(offset: u64, size: u64): bool {
  const end = offset + size
  if (size == 0 || end <= memorySize) return true
  if (u64(memoryBase) + end + 32 > u64(memoryLimit) && !makeRoom(end + 32)) {
    exhausted = true
    return false
  }
  memory.fill(memoryBase + usize(memorySize), 0, usize(end - memorySize))
  return true
}

/**
 * Pays for and expands the memory to hold `size` bytes at `offset`. Returns the gas left, negative
 * when it does not suffice.
 */
export function growMemory(gasLeft: i64, offset: u64, size: u64): i64 {
  const cost = expansionGas(offset, size)
  if (cost > u64(gasLeft)) return -1
  expandMemory(offset, size)
  return exhausted ? -1 : gasLeft - i64(cost)
}
