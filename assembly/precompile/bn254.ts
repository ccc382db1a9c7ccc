/** ECADD (0x06), ECMUL (0x07) and ECPAIRING (0x08) of EIP-196 and EIP-197, repriced by EIP-1108. */
import { ISTANBUL } from '../evm/revision'

const ADD: i32 = 0x06
const MUL: i32 = 0x07

/** Bytes of one pair of points. */
const PAIR: u32 = 192

export function bn254Gas(id: i32, length: u32, revision: i32): u64 {
  const repriced = revision >= ISTANBUL
  if (id == ADD) return repriced ? 150 : 500
  if (id == MUL) return repriced ? 6_000 : 40_000
  const pairs: u64 = length / PAIR
  return repriced ? 45_000 + 34_000 * pairs : 100_000 + 80_000 * pairs
}
