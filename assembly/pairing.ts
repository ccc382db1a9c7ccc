/**
 * The entry of pairing.wasm: the precompiles 0x0a to 0x11, fed in chunks. `begin` returns how many bytes to write to
 * `inputAt` at a time, `absorb` takes them, and `finish` leaves the output at `outputAt`. If a call returns zero,
 * false or a short length, the precompile fails.
 */

import { ELEMENT } from './curve/bls12-381/fp'
import {
  decodeG1,
  decodePadded,
  encodeG1,
  G1_BYTES,
  isInG1,
  PADDED_BYTES,
} from './curve/bls12-381/g1'
import { decodeG2, decodePaddedFp2, encodeG2, G2_BYTES, isInG2 } from './curve/bls12-381/g2'
import { AFFINE, addAffine, POINT, setInfinity } from './curve/bls12-381/group'
import { EVALUATION_BYTES, isEvaluation } from './curve/bls12-381/kzg'
import { mapToG1, mapToG2 } from './curve/bls12-381/map'
import { addPair, beginSum, finishSum, PAIRS as SUM_PAIRS } from './curve/bls12-381/msm'
import {
  beginProduct,
  isProductOne,
  PAIRS as PRODUCT_PAIRS,
  runLoop,
  takePair,
} from './curve/bls12-381/pairing'
import { readScalar, SCALAR } from './curve/bls12-381/scalar'
import { ORDER } from './curve/generated/bls12-381-constants'
import {
  BLS12_G1ADD,
  BLS12_G1MSM,
  BLS12_G2ADD,
  BLS12_G2MSM,
  BLS12_MAP_FP_TO_G1,
  BLS12_MAP_FP2_TO_G2,
  BLS12_PAIRING_CHECK,
  KZG_POINT_EVALUATION,
} from './generated/precompile'

const PAIR_BYTES: i32 = G1_BYTES + G2_BYTES
const WORD: i32 = 32
const FIELD_ELEMENTS_PER_BLOB: u16 = 4096

export const inputAt: usize = memory.data(PRODUCT_PAIRS * PAIR_BYTES, 16)
export const outputAt: usize = memory.data(G2_BYTES, 16)

const RESULT: usize = memory.data(POINT, 16)
const POINT_1: usize = memory.data(AFFINE, 16)
const POINT_2: usize = memory.data(AFFINE, 16)
const MULTIPLIER: usize = memory.data(SCALAR)
const COORDINATE: usize = memory.data(ELEMENT, 16)

let id: i32 = 0

/**
 * Starts a precompile (the last byte of its address) on `length` bytes. Returns the chunk size, or zero if it accepts
 * no input of that length. All chunks except the last are full.
 */
export function begin(precompile: i32, length: u32): u32 {
  id = precompile
  setInfinity(RESULT, true)
  switch (precompile) {
    case KZG_POINT_EVALUATION:
      return exactly(length, EVALUATION_BYTES)
    case BLS12_G1ADD:
      return exactly(length, 2 * G1_BYTES)
    case BLS12_G1MSM:
      return multiplesOf(length, G1_BYTES + SCALAR, SUM_PAIRS)
    case BLS12_G2ADD:
      return exactly(length, 2 * G2_BYTES)
    case BLS12_G2MSM:
      return multiplesOf(length, G2_BYTES + SCALAR, SUM_PAIRS)
    case BLS12_PAIRING_CHECK: {
      beginProduct()
      return multiplesOf(length, PAIR_BYTES, PRODUCT_PAIRS)
    }
    case BLS12_MAP_FP_TO_G1:
      return exactly(length, PADDED_BYTES)
    case BLS12_MAP_FP2_TO_G2:
      return exactly(length, 2 * PADDED_BYTES)
    default:
      return 0
  }
}

function exactly(length: u32, expected: u32): u32 {
  return length == expected ? expected : 0
}

function multiplesOf(length: u32, size: u32, most: u32): u32 {
  return length != 0 && length % size == 0 ? size * most : 0
}

/** Takes a chunk of the input. Returns false if it is invalid. */
export function absorb(length: u32): bool {
  switch (id) {
    case KZG_POINT_EVALUATION:
      return isEvaluation(inputAt)
    case BLS12_G1ADD:
      return addInG1()
    case BLS12_G1MSM:
      return sumInG1(length)
    case BLS12_G2ADD:
      return addInG2()
    case BLS12_G2MSM:
      return sumInG2(length)
    case BLS12_PAIRING_CHECK:
      return multiplyPairings(length)
    case BLS12_MAP_FP_TO_G1: {
      if (!decodePadded(COORDINATE, inputAt)) return false
      mapToG1(RESULT, COORDINATE)
      return true
    }
    default: {
      if (!decodePaddedFp2(COORDINATE, inputAt)) return false
      mapToG2(RESULT, COORDINATE)
      return true
    }
  }
}

/** Writes the output and returns its length. */
export function finish(): u32 {
  switch (id) {
    case KZG_POINT_EVALUATION: {
      memory.fill(outputAt, 0, 2 * WORD)
      store<u16>(outputAt, bswap<u16>(FIELD_ELEMENTS_PER_BLOB), WORD - 2)
      readScalar(outputAt + WORD, ORDER)
      return 2 * WORD
    }
    case BLS12_G1ADD:
    case BLS12_G1MSM:
    case BLS12_MAP_FP_TO_G1: {
      encodeG1(outputAt, RESULT)
      return G1_BYTES
    }
    case BLS12_PAIRING_CHECK: {
      memory.fill(outputAt, 0, WORD)
      store<u8>(outputAt, isProductOne() ? 1 : 0, WORD - 1)
      return WORD
    }
    default: {
      encodeG2(outputAt, RESULT)
      return G2_BYTES
    }
  }
}

/** Addition does not require the subgroup. */
function addInG1(): bool {
  if (!decodeG1(POINT_1, inputAt) || !decodeG1(POINT_2, inputAt + G1_BYTES)) return false
  addAffine<u32>(RESULT, RESULT, POINT_1)
  addAffine<u32>(RESULT, RESULT, POINT_2)
  return true
}

function addInG2(): bool {
  if (!decodeG2(POINT_1, inputAt) || !decodeG2(POINT_2, inputAt + G2_BYTES)) return false
  addAffine<u64>(RESULT, RESULT, POINT_1)
  addAffine<u64>(RESULT, RESULT, POINT_2)
  return true
}

function sumInG1(length: u32): bool {
  beginSum()
  for (let at = inputAt; at < inputAt + length; at += G1_BYTES + SCALAR) {
    if (!decodeG1(POINT_1, at) || !isInG1(POINT_1)) return false
    readScalar(MULTIPLIER, at + G1_BYTES)
    addPair<u32>(POINT_1, MULTIPLIER)
  }
  finishSum<u32>(RESULT)
  return true
}

function sumInG2(length: u32): bool {
  beginSum()
  for (let at = inputAt; at < inputAt + length; at += G2_BYTES + SCALAR) {
    if (!decodeG2(POINT_1, at) || !isInG2(POINT_1)) return false
    readScalar(MULTIPLIER, at + G2_BYTES)
    addPair<u64>(POINT_1, MULTIPLIER)
  }
  finishSum<u64>(RESULT)
  return true
}

function multiplyPairings(length: u32): bool {
  for (let at = inputAt; at < inputAt + length; at += PAIR_BYTES) {
    if (!decodeG1(POINT_1, at) || !decodeG2(POINT_2, at + G1_BYTES)) return false
    if (!isInG1(POINT_1) || !takePair(POINT_1, POINT_2)) return false
  }
  return runLoop()
}
