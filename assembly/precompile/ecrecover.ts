/** ECRECOVER (0x01): the signer's address, or empty output for an invalid signature. */
import { recoverAddress } from '../curve/secp256k1'
import { copyPadded } from './input'

/** digest, v, r, s: 32 bytes each. */
const INPUT: usize = memory.data(128)

export function ecrecover(input: usize, length: u32, out: usize): i32 {
  copyPadded(INPUT, 128, input, length, 0)
  const v = load<u8>(INPUT, 63)
  if (v != 27 && v != 28) return 0
  const upper = load<u64>(INPUT, 32) | load<u64>(INPUT, 40) | load<u64>(INPUT, 48)
  if ((upper | (load<u64>(INPUT, 56) << 8)) != 0) return 0
  if (!recoverAddress(INPUT, v - 27, INPUT + 64, INPUT + 96, out + 12)) return 0
  memory.fill(out, 0, 12)
  return 32
}
