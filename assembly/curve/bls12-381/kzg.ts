/**
 * KZG point evaluation (EIP-4844). Checks e(C - y G1, -G2) e(proof, [tau] G2 - z G2) = 1 in the form e(C - y G1 + z
 * proof, -G2) e(proof, [tau] G2) = 1, which needs no multiplication in G2.
 */
import { sha256 } from '../../hash/sha256'
import { G1_GENERATOR, MINUS_G2, TAU_G2 } from '../generated/bls12-381-constants'
import { decompressG1 } from './g1'
import { AFFINE, addAffine, POINT, setAffineInfinity, setInfinity, toAffine, Z } from './group'
import { addPair, beginSum, finishSum } from './msm'
import {
  beginProduct,
  isProductOne,
  LINES,
  prepareLines,
  runLoop,
  takePreparedPair,
} from './pairing'
import { isBelowOrder, negateScalar, readScalar, SCALAR } from './scalar'

/** Versioned hash 32, z 32, y 32, commitment 48, proof 48. */
export const EVALUATION_BYTES: i32 = 192
const COMMITMENT: i32 = 96
const PROOF: i32 = 144
const COMPRESSED: i32 = 48
const VERSION_KZG: u8 = 0x01

const HASH: usize = memory.data(32)
const POINT_Z: usize = memory.data(SCALAR)
const POINT_Y: usize = memory.data(SCALAR)
const COMMITTED: usize = memory.data(AFFINE, 16)
const PROVED: usize = memory.data(AFFINE, 16)
const FIRST: usize = memory.data(AFFINE, 16)
const SUM: usize = memory.data(POINT, 16)

/** Lines of the two points that every evaluation pairs with, computed at the first one. */
const GENERATOR_LINES: usize = memory.data(LINES, 16)
const TAU_LINES: usize = memory.data(LINES, 16)
let arePrepared: bool = false

/** Returns true if the proof in the 192 bytes of input is valid. */
export function isEvaluation(input: usize): bool {
  sha256(input + COMMITMENT, COMPRESSED, HASH)
  store<u8>(HASH, VERSION_KZG)
  if (memory.compare(HASH, input, 32) != 0) return false
  readScalar(POINT_Z, input + 32)
  readScalar(POINT_Y, input + 64)
  if (!isBelowOrder(POINT_Z) || !isBelowOrder(POINT_Y)) return false
  if (!decompressG1(COMMITTED, input + COMMITMENT)) return false
  if (!decompressG1(PROVED, input + PROOF)) return false

  negateScalar(POINT_Y, POINT_Y)
  memory.copy(FIRST, G1_GENERATOR, Z)
  setAffineInfinity(FIRST, false)
  beginSum()
  addPair<u32>(FIRST, POINT_Y)
  addPair<u32>(PROVED, POINT_Z)
  setInfinity(SUM, true)
  finishSum<u32>(SUM)
  addAffine<u32>(SUM, SUM, COMMITTED)
  toAffine<u32>(FIRST, SUM)

  beginProduct()
  if (!arePrepared) {
    prepareLines(GENERATOR_LINES, MINUS_G2)
    prepareLines(TAU_LINES, TAU_G2)
    arePrepared = true
  }
  takePreparedPair(FIRST, GENERATOR_LINES)
  takePreparedPair(PROVED, TAU_LINES)
  runLoop()
  return isProductOne()
}
