/** SHA256 (0x02) and RIPEMD160 (0x03). */
import { ripemd160 } from '../hash/ripemd160'
import { sha256 } from '../hash/sha256'

export function sha256Precompile(input: usize, length: u32, out: usize): i32 {
  sha256(input, length, out)
  return 32
}

/** Writes the 20-byte hash, left-padded to a word. */
export function ripemd160Precompile(input: usize, length: u32, out: usize): i32 {
  ripemd160(input, length, out + 12)
  memory.fill(out, 0, 12)
  return 32
}
