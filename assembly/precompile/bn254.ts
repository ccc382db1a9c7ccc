/** ECADD (0x06), ECMUL (0x07) and ECPAIRING (0x08) of EIP-196 and EIP-197, repriced by EIP-1108. */
import { addPoints, multiplyPoint } from '../curve/bn254/g1'
import { checkPairings } from '../curve/bn254/pairing'
import { copyPadded } from './input'

/** Bytes of a point of G1, of the arguments of ECADD and ECMUL, and of one pair of points. */
const POINT: u32 = 64
const ADD_INPUT: u32 = 128
const MUL_INPUT: u32 = 96
const PAIR: u32 = 192

const INPUT: usize = memory.data(128)
const SCALAR: usize = memory.data(32)

/** Writes the sum of two points. Missing bytes are zeros, extra ones are ignored. */
export function bn254Add(input: usize, length: u32, out: usize): i32 {
  copyPadded(INPUT, ADD_INPUT, input, length, 0)
  return addPoints(out, INPUT, INPUT + POINT) ? POINT : -1
}

/** Writes a point times any 256-bit number. Missing bytes are zeros, extra ones are ignored. */
export function bn254Mul(input: usize, length: u32, out: usize): i32 {
  copyPadded(INPUT, MUL_INPUT, input, length, 0)
  for (let i: usize = 0; i < 32; i += 4) {
    store<u32>(SCALAR + i, bswap<u32>(load<u32>(INPUT + (MUL_INPUT - 4) - i)))
  }
  return multiplyPoint(out, INPUT, SCALAR) ? POINT : -1
}

/** Writes 1 as a word if the product of the pairings is one, else 0. Fails if the input is not whole pairs. */
export function bn254Pairing(input: usize, length: u32, out: usize): i32 {
  if (length % PAIR != 0) return -1
  const result = checkPairings(input, length / PAIR)
  if (result < 0) return -1
  memory.fill(out, 0, 32)
  store<u8>(out, result as u8, 31)
  return 32
}
