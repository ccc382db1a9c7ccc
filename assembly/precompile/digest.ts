/** SHA256 (0x02) and RIPEMD160 (0x03). */
import { ripemd160 } from '../hash/ripemd160'
import { sha256 } from '../hash/sha256'

/** Gas of a call that pays by the 32-byte word of input. */
export function wordGas(length: u32, base: u64, word: u64): u64 {
  return base + word * (((length as u64) + 31) >> 5)
}

export function sha256Precompile(input: usize, length: u32, out: usize): i32 {
  sha256(input, length, out)
  return 32
}

/** The 20-byte hash, padded on the left to a word. */
export function ripemd160Precompile(input: usize, length: u32, out: usize): i32 {
  ripemd160(input, length, out + 12)
  memory.fill(out, 0, 12)
  return 32
}
