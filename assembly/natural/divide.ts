/**
 * Division with signed digits: a digit of the quotient is estimated from the top 60 bits of what is left
 * and may be wrong by a few; the next digit, which may be negative and of 29 bits, makes it good. So no
 * row is ever taken back, and columns need carries every 32 rows alone.
 */
import { LIMB_BITS, LIMB_MASK, MAX_LIMBS, isLess, shiftLeft, shiftRight, subtract } from './limbs'
import { COLUMNS, takeLimbs } from './product'

/** 2^28 * 2^29.3 a row: 32 rows stay below 2^63. */
const SETTLE_ROWS: i32 = 32

/** The divisor with the top bit of its top limb set. */
const DIVISOR: usize = memory.data(4 * MAX_LIMBS)
const REST: usize = memory.data(4 * MAX_LIMBS)
let shift: u32 = 0
let limbs: i32 = 0
let top: i64 = 0

/** Sets the divisor: two limbs at least, the top one not zero. */
export function setDivisor(divisor: usize, count: i32): void {
  limbs = count
  shift = clz<u32>(load<u32>(divisor + 4 * (count - 1))) - 4
  shiftLeft(DIVISOR, divisor, count, shift)
  const high = DIVISOR + 4 * (count - 1)
  top = ((load<u32>(high) as i64) << 4) | (load<u32>(high - 4) >> 24)
}

/** out = COLUMNS modulo the divisor; both of `columns` columns at most one may be unsettled. */
export function reduceByDivisor(out: usize, columns: i32): void {
  const count = shiftColumns(columns)
  let rows = 0
  for (let t = count - 1; t >= limbs; t--) {
    const column = COLUMNS + 8 * t
    let third = load<i64>(column - 16)
    const upper = (load<i64>(column) << LIMB_BITS) + load<i64>(column - 8) + (third >> LIMB_BITS)
    third &= LIMB_MASK
    store<i64>(column - 16, third)
    store<i64>(column - 8, upper)
    const quotient = ((upper << 4) + (third >> 24)) / top
    if (quotient != 0) subtractRow(column - 8 * limbs, quotient)
    if (++rows == SETTLE_ROWS) {
      settleSigned(t - limbs, t - 1)
      rows = 0
    }
  }
  takeRest(out, min(count, limbs))
}

/** Subtracts from the top down: the next digit waits for the top columns alone. */
@inline
function subtractRow(columns: usize, quotient: i64): void {
  let i: usize = 4 * limbs
  for (; i >= 8; i -= 8) {
    const column = columns + 2 * i - 16
    const divisor = DIVISOR + i - 8
    store<i64>(column, load<i64>(column, 8) - quotient * (load<u32>(divisor, 4) as i64), 8)
    store<i64>(column, load<i64>(column) - quotient * (load<u32>(divisor) as i64))
  }
  if (i != 0) store<i64>(columns, load<i64>(columns) - quotient * (load<u32>(DIVISOR) as i64))
}

/** Settles all columns and shifts them as the divisor is; returns how many there are now. */
function shiftColumns(columns: i32): i32 {
  let carry: u64 = 0
  let shifted: u64 = 0
  const end = COLUMNS + 8 * columns
  for (let column = COLUMNS; column < end; column += 8) {
    carry += load<u64>(column)
    shifted |= ((carry & LIMB_MASK) << shift)
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

/** The rest lies within two divisors of zero, on either side. */
function takeRest(out: usize, count: i32): void {
  for (let i = count; i < limbs; i++) store<i64>(COLUMNS + 8 * i, 0)
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
