/**
 * Sums of scalar multiples after Straus: all pairs share the doublings. The endomorphism splits each scalar: two
 * halves on G1 by phi, four quarters on G2 by psi (Galbraith, Lin and Scott, eprint 2008/194). Each part is read in
 * signed windows over a table of odd multiples. Up to 128 pairs, buckets (Pippenger) gain nothing: membership checks
 * and tables take two thirds of the time either way.
 */
import { ONE } from '../generated/bls12-381-constants'
import { copy } from '../generated/bls12-381-field'
import { recode, WNAF } from '../wnaf'
import { ELEMENT } from './fp'
import { applyPhi } from './g1'
import { applyPsi } from './g2'
import {
  AFFINE,
  addAffine,
  addPoints,
  applyInverse,
  double,
  fromAffine,
  invertElement,
  isAffineInfinity,
  multiply,
  negateAffine,
  POINT,
  setInfinity,
  Z,
} from './group'
import {
  isZeroScalar,
  reduceScalar,
  SCALAR,
  splitByParameter,
  splitByParameterSquared,
} from './scalar'

/** Pairs that share doublings. A longer sum is processed in groups of this size. */
export const PAIRS: i32 = 32

const WIDTH: i32 = 5
const MULTIPLES: i32 = 1 << (WIDTH - 2)
const MOST_PARTS: i32 = 4
const TABLE: i32 = MULTIPLES * AFFINE
/** Digits of a part on G1, which has 128 bits and a carry. */
const POSITIONS: i32 = 129

const JACOBIAN: usize = memory.data(PAIRS * MULTIPLES * POINT, 16)
/** Products of the Z up to each point, so that one inversion serves all. */
const PRODUCTS: usize = memory.data((PAIRS * MULTIPLES + 1) * ELEMENT, 16)
const TABLES: usize = memory.data(PAIRS * MOST_PARTS * TABLE, 16)
const DIGITS: usize = memory.data(PAIRS * MOST_PARTS * WNAF)
/** One part, followed by zeros. */
const PART: usize = memory.data(40)
const DOUBLED: usize = memory.data(POINT, 16)
const SUM: usize = memory.data(POINT, 16)
const NEGATED: usize = memory.data(AFFINE, 16)
const INVERSE: usize = memory.data(ELEMENT, 16)
const OF_ONE: usize = memory.data(ELEMENT, 16)

let pairs: i32 = 0

@inline
function partsOf<F>(): i32 {
  return sizeof<F>() == 8 ? 4 : 2
}

export function beginSum(): void {
  pairs = 0
}

/** Takes a point of the subgroup and its scalar (four words, overwritten). */
export function addPair<F>(point: usize, scalar: usize): void {
  reduceScalar(scalar)
  if (isAffineInfinity(point) || isZeroScalar(scalar)) return
  const parts = partsOf<F>()
  if (sizeof<F>() == 8) splitByParameter(scalar)
  else splitByParameterSquared(scalar)
  const size = SCALAR / parts
  for (let i = 0; i < parts; i++) {
    memory.copy(PART, scalar + size * i, size)
    memory.fill(PART + size, 0, 40 - size)
    // psi multiplies by -|z| and phi by -z^2, so every odd power changes the sign.
    recode(DIGITS + WNAF * (pairs * parts + i), PART, 8 * size, WIDTH, (i & 1) != 0 ? -1 : 1)
  }

  const multiples = JACOBIAN + POINT * MULTIPLES * pairs
  fromAffine(multiples, point)
  double<F>(DOUBLED, multiples)
  for (let i = 1; i < MULTIPLES; i++) {
    addPoints<F>(multiples + POINT * i, multiples + POINT * (i - 1), DOUBLED)
  }
  pairs++
}

/** out = out + the sum of the pairs added since `beginSum`, at most PAIRS. */
export function finishSum<F>(out: usize): void {
  if (pairs == 0) return
  makeTables<F>()
  const parts = pairs * partsOf<F>()
  setInfinity(SUM, true)
  for (let position = POSITIONS - 1; position >= 0; position--) {
    double<F>(SUM, SUM)
    for (let i = 0; i < parts; i++) {
      const digit: i32 = load<i8>(DIGITS + WNAF * i + position)
      if (digit == 0) continue
      const multiple = TABLES + TABLE * i + AFFINE * (abs(digit) >> 1)
      if (digit > 0) addAffine<F>(SUM, SUM, multiple)
      else {
        negateAffine(NEGATED, multiple)
        addAffine<F>(SUM, SUM, NEGATED)
      }
    }
  }
  addPoints<F>(out, out, SUM)
}

/** Makes the odd multiples affine with one inversion, then the tables of their images under the endomorphism. */
function makeTables<F>(): void {
  const count = pairs * MULTIPLES
  copy(PRODUCTS, ONE)
  for (let i = 0; i < count; i++) {
    const product = PRODUCTS + ELEMENT * i
    multiply<F>(product + ELEMENT, product, JACOBIAN + POINT * i + Z)
  }
  invertElement<F>(INVERSE, PRODUCTS + ELEMENT * count)
  for (let i = count - 1; i >= 0; i--) {
    const point = JACOBIAN + POINT * i
    multiply<F>(OF_ONE, INVERSE, PRODUCTS + ELEMENT * i)
    multiply<F>(INVERSE, INVERSE, point + Z)
    const table = TABLES + TABLE * partsOf<F>() * (i / MULTIPLES)
    let entry = table + AFFINE * (i % MULTIPLES)
    applyInverse<F>(entry, point, OF_ONE)
    for (let part = 1; part < partsOf<F>(); part++) {
      if (sizeof<F>() == 8) applyPsi(entry + TABLE, entry)
      else applyPhi(entry + TABLE, entry)
      entry += TABLE
    }
  }
}
