/** P256VERIFY (0x100) of EIP-7951. */
import { verify } from '../curve/p256'

/** digest, r, s, x, y: 32 bytes each. */
const INPUT_LENGTH: u32 = 160

/** Writes 1 as a word for a valid signature, and empty output for any other input. Never fails. */
export function p256Verify(input: usize, length: u32, out: usize): i32 {
  if (length != INPUT_LENGTH) return 0
  if (!verify(input, input + 32, input + 64, input + 96, input + 128)) return 0
  memory.fill(out, 0, 32)
  store<u8>(out, 1, 31)
  return 32
}
