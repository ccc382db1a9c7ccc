import { MEMORY_SQUARE_DIVISOR, MEMORY_WORD } from '../../generated/gas'
import { MEMORIES, MEMORIES_END, OVERFLOW, OVERFLOW_END } from '../../layout'
import { clearBytes } from '../../u256/bytes'
import { exhausted, setExhausted } from './registers'

/** The running frame's EVM memory and its size, a multiple of 32. */
export let memoryBase: usize = MEMORIES
export let memorySize: u64 = 0

/** End of the space for EVM memories. Transient storage grows down to here. */
export let memoryLimit: usize = MEMORIES_END

/** First byte that no frame below OVERFLOW uses, while the running frame's memory lies past it. */
let floor: usize = MEMORIES

/** Returns the end of the space for transient storage: above the EVM memories in MEMORIES. */
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

/** Set if a memory size, or its price, exceeds 64 bits. geth reports this before any other error. */
export let sizeOverflows: bool = false
export let priceOverflows: bool = false

/** Clears `sizeOverflows`, after the fault names the overflow. */
export function forgetOverflows(): void {
  sizeOverflows = false
  priceOverflows = false
}

/** Returns true if the requested memory turned out too large to have a price. */
export function hasNoPrice(): bool {
  return priceOverflows
}

/**
 * Returns the address of `size` bytes at `offset` of the EVM memory. If `size` is 0, the offset may be any number and
 * must not become an address: even an empty copy traps past the engine's memory.
 */
@inline
export function rangeAt(offset: u64, size: u64): usize {
  return size == 0 ? memoryBase : memoryBase + usize(offset)
}

/** Larger sizes do not round up to whole words within 64 bits. */
const LARGEST_SIZE: u64 = 0xffffffffffffffe0
/** Memory larger than this has no price (geth, core/vm/gas_table.go). */
export const LARGEST_MEMORY: u64 = 0x1fffffffe0

/** Returns the gas of a memory of `words` words (yellow paper, C_mem). */
@inline
export function memoryGas(words: u64): u64 {
  return MEMORY_WORD * words + (words * words) / MEMORY_SQUARE_DIVISOR
}

/** Returns the gas to expand the memory to hold `size` bytes at `offset`, or u64.MAX_VALUE if no gas can pay for it. */
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

/** The memory grows by at least this many pages (16 MiB). */
const STEP: i32 = 256

/**
 * Makes room for a memory of `size` bytes that does not fit below `memoryLimit`: past all regions, in new pages. The
 * running frame's memory moves there with its contents. Those of the frames below stay, since their calls have stored
 * addresses. Returns false if no memory is left.
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

/** Expands the memory after its gas is paid. */
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
 * Zeroes the bytes that an expansion would add, without expanding, so that an opcode that may still stop for the host
 * can read them. Returns false if the memory region is full.
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
 * Charges for and expands the memory to hold `size` bytes at `offset`. Returns the gas left, negative if it does not
 * suffice.
 */
export function growMemory(gasLeft: i64, offset: u64, size: u64): i64 {
  const cost = expansionGas(offset, size)
  if (cost > u64(gasLeft)) return -1
  expandMemory(offset, size)
  return exhausted ? -1 : gasLeft - i64(cost)
}
