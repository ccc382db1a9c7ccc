/**
 * Reasons why a precompile failed, for traces, derived from the input of the failed call. tools/tables/precompile.ts
 * has geth's messages.
 */
import { AFFINE as AFFINE_G1, decodePoint as decodeG1, INVALID } from '../curve/bn254/g1'
import { AFFINE as AFFINE_G2, decodePoint as decodeG2 } from '../curve/bn254/g2'
import { checkPairings } from '../curve/bn254/pairing'
import { BLAKE2F, BN254_ADD, BN254_MUL, BN254_PAIRING, MODEXP } from '../generated/precompile'
import {
  INVALID_FINAL_FLAG,
  INVALID_LENGTH,
  NONE,
  NOT_IN_FIELD,
  NOT_IN_SUBGROUP,
  NOT_ON_CURVE,
  OPERAND_TOO_LONG,
  PAIRING_SIZE,
} from '../generated/precompile-failure'
import { copyPadded } from './input'

const BLAKE2F_INPUT: u32 = 213
const POINT: u32 = 64
const COORDINATE: u32 = 32
const PAIR: u32 = 192

/** The prime of BN254, 32 big-endian bytes. */
const PRIME: usize = memory.data<u8>([
  0x30, 0x64, 0x4e, 0x72, 0xe1, 0x31, 0xa0, 0x29, 0xb8, 0x50, 0x45, 0xb6, 0x81, 0x81, 0x58, 0x5d,
  0x97, 0x81, 0x6a, 0x91, 0x68, 0x71, 0xca, 0x8d, 0x3c, 0x20, 0x8c, 0x16, 0xd8, 0x7c, 0xfd, 0x47,
])

const INPUT: usize = memory.data(128)
const DECODED: usize = memory.data(AFFINE_G1, 16)
const DECODED_G2: usize = memory.data(AFFINE_G2, 16)

/** Returns NOT_IN_FIELD if one of `count` coordinates is not below the prime. */
function coordinateFailure(at: usize, count: u32): u64 {
  for (const end = at + COORDINATE * count; at < end; at += COORDINATE) {
    if (memory.compare(at, PRIME, COORDINATE) >= 0) return NOT_IN_FIELD
  }
  return NONE
}

function pointFailure(at: usize): u64 {
  const failure = coordinateFailure(at, 2)
  if (failure != NONE) return failure
  return decodeG1(DECODED, at) == INVALID ? NOT_ON_CURVE : NONE
}

/** Returns the failure of one pair. A G2 point outside the subgroup passes here, since only a pairing detects it. */
function pairFailure(at: usize): u64 {
  const first = pointFailure(at)
  if (first != NONE) return first
  const failure = coordinateFailure(at + POINT, 4)
  if (failure != NONE) return failure
  return decodeG2(DECODED_G2, at + POINT) == INVALID ? NOT_ON_CURVE : NONE
}

function pairingFailure(input: usize, length: u32): u64 {
  if (length % PAIR != 0) return PAIRING_SIZE
  const count = length / PAIR
  for (let i: u32 = 0; i < count; i++) {
    const failure = pairFailure(input + PAIR * i)
    if (failure == NONE) continue
    // An earlier pair may have a point outside the subgroup
    return checkPairings(input, i) >= 0 ? failure : NOT_IN_SUBGROUP
  }
  return NOT_IN_SUBGROUP
}

/** Returns the reason why the engine's precompile `id` failed on the input. */
export function precompileFailure(id: i32, input: usize, length: u32): u64 {
  switch (id) {
    case MODEXP:
      return OPERAND_TOO_LONG
    case BN254_ADD: {
      copyPadded(INPUT, 2 * POINT, input, length, 0)
      const first = pointFailure(INPUT)
      return first != NONE ? first : pointFailure(INPUT + POINT)
    }
    case BN254_MUL:
      copyPadded(INPUT, POINT, input, length, 0)
      return pointFailure(INPUT)
    case BN254_PAIRING:
      return pairingFailure(input, length)
    case BLAKE2F:
      return length != BLAKE2F_INPUT ? INVALID_LENGTH : INVALID_FINAL_FLAG
    default:
      return NONE
  }
}
