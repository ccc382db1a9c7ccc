import { copyBytes } from '../u256/bytes'
import { readBytes, writeBytes } from '../u256/word'
import { charge, heldSize, isRunning, overflow } from './call'
import { WORD } from './generated/gas'
import { INPUT, OUTPUT, OUTPUT_END } from './layout'
import { fail, outputSize, setOutputSize } from './text'

/**
 * Arguments and results in Solidity's ABI. An argument is identified by its index. If the input lacks it, the call
 * reverts, and reads continue as zeros.
 */
const ARGUMENTS: usize = INPUT + 4
const ZEROS: usize = memory.data(32, 8)

function argumentsSize(): usize {
  const size = heldSize()
  return size < 4 ? 0 : size - 4
}

/** Returns the address of the argument at a place: 32 bytes. */
export function argument(place: usize): usize {
  if ((place + 1) << 5 > argumentsSize()) {
    fail('abi: the input is shorter than its arguments')
    return ZEROS
  }
  return ARGUMENTS + (place << 5)
}

function isPadded(bytes: usize, size: usize): bool {
  for (let i: usize = 0; i < size; i++) if (load<u8>(bytes + i) != 0) return false
  return true
}

/** Returns the address of the 20 bytes of an argument. */
export function addressArgument(place: usize): usize {
  const bytes = argument(place)
  if (!isPadded(bytes, 12)) {
    fail('abi: an address has more than 20 bytes')
    return ZEROS
  }
  return bytes + 12
}

/** Reads an argument as a word. */
export function wordArgument(out: usize, place: usize): void {
  readBytes(out, argument(place))
}

/** Returns an argument of up to 64 bits; `bits` is the size of its type. */
export function numberArgument(place: usize, bits: u32): u64 {
  const bytes = argument(place)
  const value = bswap(load<u64>(bytes, 24))
  if (!isPadded(bytes, 24) || (bits < 64 && value >> bits != 0)) {
    fail('abi: a number is larger than its type')
    return 0
  }
  return value
}

/** Size of the argument that `bytesArgument` last returned. */
export let foundSize: usize = 0

/** Returns the address of the bytes of an argument of type bytes or string, and sets `foundSize` to their number. */
export function bytesArgument(place: usize): usize {
  foundSize = 0
  const head = argument(place)
  const all = argumentsSize()
  if (!isRunning()) return ZEROS
  const offset = bswap(load<u64>(head, 24))
  if (!isPadded(head, 24) || offset > u64(all) || u64(all) - offset < 32) {
    fail('abi: an offset lies outside the input')
    return ZEROS
  }
  const sizeAt = ARGUMENTS + usize(offset)
  const size = bswap(load<u64>(sizeAt, 24))
  if (!isPadded(sizeAt, 24) || size > u64(all) - offset - 32) {
    fail('abi: a length reaches beyond the input')
    return ZEROS
  }
  foundSize = usize(size)
  return sizeAt + 32
}

// Results, appended one after another

function append(size: usize): usize {
  const at = OUTPUT + outputSize
  if (!isRunning() || at + size > OUTPUT_END) {
    overflow()
    return 0
  }
  if (!charge(WORD * u64(size >> 5))) return 0
  memory.fill(at, 0, size)
  setOutputSize(outputSize + size)
  return at
}

/** Appends a number. */
export function putNumber(value: u64): void {
  const at = append(32)
  if (at != 0) store<u64>(at, bswap(value), 24)
}

/** Appends a word. */
export function putWord(word: usize): void {
  const at = append(32)
  if (at != 0) writeBytes(at, word)
}

/** Appends an address of 20 bytes. */
export function putAddress(address: usize): void {
  const at = append(32)
  if (at != 0) copyBytes(at + 12, address, 20)
}

/** Appends the size of the bytes, then the bytes, padded. */
export function putBytes(bytes: usize, size: usize): void {
  putNumber(size)
  const at = append((size + 31) & ~31)
  if (at != 0) copyBytes(at, bytes, size)
}

/** Overwrites an appended number; `at` is its offset in the output. */
export function patchNumber(at: usize, value: u64): void {
  if (isRunning()) store<u64>(OUTPUT + at, bswap(value), 24)
}

/** Returns one value of type bytes or string. */
export function returnBytes(bytes: usize, size: usize): void {
  putNumber(32)
  putBytes(bytes, size)
}

export function returnTrue(): void {
  putNumber(1)
}
