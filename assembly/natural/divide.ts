/**
 * Division with signed digits. A digit of the quotient is estimated from the top 60 bits of the remainder and may be
 * off by one. The next digit, which may be negative and of 29 bits, corrects this, so no row is ever undone. Four
 * digits are found from the top columns alone before their rows are subtracted from the others. Columns need carries
 * every 64 rows.
 */
import { isLess, LIMB_BITS, LIMB_MASK, MAX_LIMBS, shiftLeft, shiftRight, subtract } from './limbs'
import { COLUMNS } from './product'
import { addRows, ROWS, wholeRows } from './rows'

/** A row adds at most 2^28 * 2^28.3 to a column: the sum of 64 rows stays below 2^63. */
const SETTLE_ROWS: i32 = 64

/** Limbs that four digits are found from, above those of whole rows. */
const TOP_LIMBS: i32 = 2

/** The divisor with the top bit of its top limb set, between zeros. */
const DIVISOR: usize = memory.data(4 * (MAX_LIMBS + 32), 16) + 32
const REST: usize = memory.data(4 * (MAX_LIMBS + 16), 16) + 16
let shift: u32 = 0
let limbs: i32 = 0
/**
 * First limb of the divisor that is subtracted. Limbs are processed in fours, so it lies above zeros at the divisor's
 * low end, which do not affect the remainder, or below the first limb.
 */
let bottom: i32 = 0

/** Sets the divisor, whose top limb must not be zero. */
export function setDivisor(divisor: usize, count: i32): void {
  limbs = count
  shift = clz<u32>(load<u32>(divisor + 4 * (count - 1))) - 4
  let zeros = 0
  while (load<u32>(divisor + 4 * zeros) == 0) zeros++
  const span = wholeRows(count - zeros - TOP_LIMBS) + TOP_LIMBS
  bottom = count - span
  v128.store(DIVISOR - 32, i64x2.splat(0))
  v128.store(DIVISOR - 16, i64x2.splat(0))
  shiftLeft(DIVISOR, divisor, count, shift)
}

/** out = COLUMNS modulo the divisor. At most one of the `columns` columns may be unsettled. */
export function reduceByDivisor(out: usize, columns: i32): void {
  const count = shiftColumns(columns)
  const digits = wholeRows(max(count - limbs, 0))
  for (let i = count; i < limbs + digits; i++) store<u64>(COLUMNS + 8 * i, 0)
  const lowest = DIVISOR + 4 * bottom
  const top = DIVISOR + 4 * limbs - 20
  const d5: i64 = load<u32>(top)
  const d4: i64 = load<u32>(top, 4)
  const d3: i64 = load<u32>(top, 8)
  const d2: i64 = load<u32>(top, 12)
  const d1: i64 = load<u32>(top, 16)
  const estimator = (d1 << 4) | (d2 >> 24)
  let rows = 0
  for (let t = limbs + digits - 1; t >= limbs; t -= ROWS) {
    const column = COLUMNS + 8 * t - 40
    let c3 = load<i64>(column, 16)
    let c4 = load<i64>(column, 8)
    let c5 = load<i64>(column)

    let c2 = load<i64>(column, 24)
    let upper = (load<i64>(column, 40) << LIMB_BITS) + load<i64>(column, 32) + (c2 >> LIMB_BITS)
    c2 &= LIMB_MASK
    const q0 = ((upper << 4) + (c2 >> 24)) / estimator
    upper = ((upper - q0 * d1) << LIMB_BITS) + c2 - q0 * d2
    c3 -= q0 * d3

    upper += c3 >> LIMB_BITS
    c3 &= LIMB_MASK
    const q1 = ((upper << 4) + (c3 >> 24)) / estimator
    upper = ((upper - q1 * d1) << LIMB_BITS) + c3 - q1 * d2
    c4 -= q0 * d4 + q1 * d3

    upper += c4 >> LIMB_BITS
    c4 &= LIMB_MASK
    const q2 = ((upper << 4) + (c4 >> 24)) / estimator
    upper = ((upper - q2 * d1) << LIMB_BITS) + c4 - q2 * d2
    c5 -= q0 * d5 + q1 * d4 + q2 * d3

    upper += c5 >> LIMB_BITS
    c5 &= LIMB_MASK
    const q3 = ((upper << 4) + (c5 >> 24)) / estimator
    store<i64>(column, upper - q3 * d1, 8)
    store<i64>(column, c5 - q3 * d2)

    const span = limbs - bottom - TOP_LIMBS
    addRows(column - 8 * span, lowest, span, -q3 as i32, -q2 as i32, -q1 as i32, -q0 as i32)
    rows += ROWS
    if (rows == SETTLE_ROWS) {
      settleSigned(t - ROWS - limbs + bottom + 1, t - ROWS)
      rows = 0
    }
  }
  takeRest(out)
}

/** Settles all columns and shifts them like the divisor. Returns the new number of columns. */
function shiftColumns(columns: i32): i32 {
  let carry: u64 = 0
  let shifted: u64 = 0
  const end = COLUMNS + 8 * columns
  for (let column = COLUMNS; column < end; column += 8) {
    carry += load<u64>(column)
    shifted |= (carry & LIMB_MASK) << shift
    store<u64>(column, shifted & LIMB_MASK)
    shifted >>= LIMB_BITS
    carry >>= LIMB_BITS
  }
  store<u64>(end, shifted)
  return columns + 1
}
function settleSigned(from: i32, to: i32): void {
  let carry: i64 = 0
  let column = COLUMNS + 8 * from
  for (const end = COLUMNS + 8 * to; column < end; column += 8) {
    carry += load<i64>(column)
    store<i64>(column, carry & LIMB_MASK)
    carry >>= LIMB_BITS
  }
  store<i64>(column, load<i64>(column) + carry)
}

/** Reduces the remainder, which lies within two divisors of zero, on either side. */
function takeRest(out: usize): void {
  let carry: i64 = 0
  for (let i = 0; i < limbs; i++) {
    carry += load<i64>(COLUMNS + 8 * i)
    store<u32>(REST + 4 * i, (carry as u32) & LIMB_MASK)
    carry >>= LIMB_BITS
  }
  while (carry < 0) carry += addDivisor()
  while (carry > 0 || !isLess(REST, DIVISOR, limbs)) {
    if (isLess(REST, DIVISOR, limbs)) carry--
    subtract(REST, REST, DIVISOR, limbs)
  }
  shiftRight(out, REST, limbs, shift)
}

function addDivisor(): i64 {
  let carry: u32 = 0
  for (let i: usize = 0, end: usize = 4 * limbs; i < end; i += 4) {
    carry += load<u32>(REST + i) + load<u32>(DIVISOR + i)
    store<u32>(REST + i, carry & LIMB_MASK)
    carry >>= LIMB_BITS
  }
  return carry
}
