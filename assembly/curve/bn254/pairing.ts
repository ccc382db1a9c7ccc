/**
 * Products of optimal ate pairings on BN254 (Vercauteren, "Optimal pairings", 2010), up to a power that does not
 * change whether the product is one.
 *
 * The loop length is 6u + 2; the points q, p * q and -p^2 * q follow. Their end point also proves that q is in the
 * subgroup: (6u + 2) + psi - psi^2 + psi^3 is zero there and nowhere else on the twist. This holds because the degree
 * of that endomorphism shares only the order with the number of points (after Dai, Lin, Zhao and Zhou, "Fast subgroup
 * membership testings", 2022). So no separate check is needed.
 */
import { negate as negateFp, thrice as thriceFp, twice as twiceFp } from '../generated/bn254-fp'
import { LOOP, LOOP_LENGTH, scale } from '../generated/bn254-fp2'
import { copy as copyFp, ELEMENT } from '../limbs'
import { raiseToCofactor } from './final-exponentiation'
import { FP2 } from './fp2'
import { FP12, isOne, multiply, multiplyByLine, setOne, square } from './fp12'
import { AFFINE as AFFINE_G1, decodePoint as decodeG1, FINITE, INVALID } from './g1'
import {
  AFFINE as AFFINE_G2,
  addStep,
  closes,
  decodePoint as decodeG2,
  doubleStep,
  endomorphism,
  HOMOGENEOUS,
  LINE,
  lift,
} from './g2'

/** Pairs that share the squarings. More would save less than one percent. */
const BATCH: i32 = 16

/** Bytes of the encoding: x and y of G1, then of G2. */
const ENCODED: i32 = 192
const ENCODED_G1: i32 = 64

// Layout of one pair.
const Q: i32 = 0
const T: i32 = Q + AFFINE_G2
/** y and -x; for tangents, 2y and -3x. */
const Y: i32 = T + HOMOGENEOUS
const MINUS_X: i32 = Y + ELEMENT
const TWICE_Y: i32 = MINUS_X + ELEMENT
const MINUS_3X: i32 = TWICE_Y + ELEMENT
/** u32: whether the point of G1 is finite. The membership of the other point is proven either way. */
const COUNTS: i32 = MINUS_3X + ELEMENT
const PAIR: i32 = COUNTS + 16

const PAIRS: usize = memory.data(PAIR * BATCH, 16)
let pairCount: i32 = 0

const POINT: usize = memory.data(AFFINE_G1)
const IMAGE: usize = memory.data(AFFINE_G2, 16)
/** The line of the last step, a chord or a tangent. */
const CHORD: usize = memory.data(LINE, 16)
const ACCUMULATOR: usize = memory.data(FP12, 16)
const PRODUCT: usize = memory.data(FP12, 16)

/**
 * Checks `count` encoded pairs. Returns 1 if the product of their pairings is one, else 0. Returns -1 if a point is
 * off its curve, a coordinate is not below the prime, or a point of G2 is outside the subgroup.
 */
export function checkPairings(input: usize, count: u32): i32 {
  setOne(PRODUCT)
  pairCount = 0
  for (let i: u32 = 0; i < count; i++) {
    if (!takePair(input + ENCODED * i)) return -1
    if (pairCount == BATCH && !multiplyBatch()) return -1
  }
  if (pairCount > 0 && !multiplyBatch()) return -1
  raiseToCofactor(PRODUCT)
  return isOne(PRODUCT) ? 1 : 0
}

/** Decodes a pair into the batch. Skips it if its point of G2 is infinite. */
function takePair(bytes: usize): bool {
  const pair = PAIRS + PAIR * pairCount
  const first = decodeG1(POINT, bytes)
  const second = decodeG2(pair + Q, bytes + ENCODED_G1)
  if (first == INVALID || second == INVALID) return false
  if (second != FINITE) return true
  store<u32>(pair, u32(first == FINITE), COUNTS)
  if (first == FINITE) {
    copyFp(pair + Y, POINT + ELEMENT)
    negateFp(pair + MINUS_X, POINT)
    twiceFp(pair + TWICE_Y, pair + Y)
    thriceFp(pair + MINUS_3X, pair + MINUS_X)
  }
  lift(pair + T, pair + Q)
  pairCount++
  return true
}

/**
 * PRODUCT *= the Miller loops of the batch, and empties the batch. Returns false if a point is outside the subgroup.
 */
function multiplyBatch(): bool {
  const end = PAIRS + PAIR * pairCount
  setOne(ACCUMULATOR)
  for (let i = LOOP_LENGTH - 2; i >= 0; i--) {
    square(ACCUMULATOR, ACCUMULATOR)
    const digit = load<i8>(LOOP + i)
    for (let pair = PAIRS; pair < end; pair += PAIR) {
      doubleStep(pair + T, CHORD)
      multiplyByLineAt(pair, TWICE_Y, MINUS_3X)
      if (digit == 0) continue
      const q = pair + Q
      const y = q + FP2
      const minusY = q + 2 * FP2
      if (digit > 0) addStep(pair + T, q, y, minusY, CHORD)
      else addStep(pair + T, q, minusY, y, CHORD)
      multiplyByLineAt(pair, Y, MINUS_X)
    }
  }
  for (let pair = PAIRS; pair < end; pair += PAIR) if (!finishPair(pair)) return false
  multiply(PRODUCT, PRODUCT, ACCUMULATOR)
  pairCount = 0
  return true
}

/** The last two additions, psi(q) and -psi^2(q). The point must then be -psi^3(q). */
function finishPair(pair: usize): bool {
  endomorphism(IMAGE, pair + Q)
  addStep(pair + T, IMAGE, IMAGE + FP2, IMAGE + 2 * FP2, CHORD)
  multiplyByLineAt(pair, Y, MINUS_X)
  endomorphism(IMAGE, IMAGE)
  addStep(pair + T, IMAGE, IMAGE + 2 * FP2, IMAGE + FP2, CHORD)
  multiplyByLineAt(pair, Y, MINUS_X)
  endomorphism(IMAGE, IMAGE)
  return closes(pair + T, IMAGE)
}

/** ACCUMULATOR *= the line at the pair's point of G1. Its scaled coordinates are at `y` and `x`. */
function multiplyByLineAt(pair: usize, y: i32, x: i32): void {
  if (load<u32>(pair, COUNTS) == 0) return
  scale(CHORD, CHORD, pair + y)
  scale(CHORD + FP2, CHORD + FP2, pair + x)
  multiplyByLine(ACCUMULATOR, CHORD, CHORD + FP2, CHORD + 2 * FP2)
}
