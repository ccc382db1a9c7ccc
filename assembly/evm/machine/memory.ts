import { MEMORY_SQUARE_DIVISOR, MEMORY_WORD } from '../../generated/gas'
import { MEMORIES, MEMORIES_END, OVERFLOW, OVERFLOW_END } from '../../layout'
import { clearBytes } from '../../u256/bytes'
import { exhausted, setExhausted } from './registers'

/** The running frame's EVM memory and its size, a multiple of 32. */
export let memoryBase: usize = MEMORIES
export let memorySize: u64 = 0

/** End of the room for EVM memories: transient storage grows down to here. */
export let memoryLimit: usize = MEMORIES_END

/** First byte that no frame below OVERFLOW uses, while the running frame's memory lies beyond it. */
let floor: usize = MEMORIES

/** End of the room for transient storage: above the EVM memories in MEMORIES. */
export function transientFloor(): usize {
  return memoryBase < OVERFLOW ? memoryBase + usize(memorySize) : floor
}

export function setMemory(base: usize, size: u64): void {
  memoryBase = base
  memorySize = size
}

export function setMemoryLimit(limit: usize): void {
  memoryLimit = limit
}

/** Set when the size of a memory, or its price, passes 64 bits, which geth reports before anything else. */
export let sizeOverflows: bool = false
export let priceOverflows: bool = false

/** Called once the fault names the overflow. */
export function forgetOverflows(): void {
  sizeOverflows = false
  priceOverflows = false
}

/** True once the memory asked for has been found to be so large that it has no price. */
export function hasNoPrice(): bool {
  return priceOverflows
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
    setExhausted(true)
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
    setExhausted(true)
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
