/** BLAKE2F (0x09) of EIP-152. */
import { blake2f as compress } from '../hash/blake2f'

/** rounds (4, big-endian), h (64), m (128), t (16), f (1). */
const INPUT_LENGTH: u32 = 213

/** Returns one unit of gas per round. Input of the wrong length costs nothing here; the call then fails. */
export function blake2fGas(input: usize, length: u32): u64 {
  return length == INPUT_LENGTH ? (bswap<u32>(load<u32>(input)) as u64) : 0
}

export function blake2f(input: usize, length: u32, out: usize): i32 {
  if (length != INPUT_LENGTH) return -1
  const last = load<u8>(input, 212)
  if (last > 1) return -1
  compress(bswap<u32>(load<u32>(input)), input + 4, input + 68, input + 196, last == 1, out)
  return 64
}
