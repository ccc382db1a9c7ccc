import { copyBytes } from '../u256/bytes'

/**
 * Keys of rows, 32 bytes: a prefix, then addresses and numbers, big-endian, so that rows of one kind are adjacent and
 * sorted in the store.
 */
const KEY: usize = memory.data(32, 8)

/** Begins the key of rows with a prefix. This overwrites the previous key. */
export function beginKey(prefix: u8): usize {
  memory.fill(KEY, 0, 32)
  store<u8>(KEY, prefix)
  return KEY
}

/** Puts 20 bytes at a place of the key. */
export function keyAddress(at: usize, address: usize): void {
  copyBytes(KEY + at, address, 20)
}

/** Puts a number at a place of the key. */
export function keyNumber(at: usize, value: u32): void {
  store<u32>(KEY + at, bswap(value))
}

/** Puts a longer number at a place of the key. */
export function keyLong(at: usize, value: u64): void {
  store<u64>(KEY + at, bswap(value))
}

/** Puts `size` bytes at a place of the key. */
export function keyBytes(at: usize, bytes: usize, size: usize): void {
  copyBytes(KEY + at, bytes, size)
}

/** Copies the current key to `out`. */
export function keepKey(out: usize): usize {
  copyBytes(out, KEY, 32)
  return out
}
