/**
 * Products into columns: column k is the sum of all a[i] * b[k - i], a u64 that holds 256 of them before it must
 * propagate carries.
 */
import { LIMB_BITS, LIMB_MASK, MAX_LIMBS, pad } from './limbs'
import { addRows, ROWS, wholeRows } from './rows'

/** Columns that a reduction may touch below the first: zeros are added there. */
const COLUMNS_BELOW: usize = 8
/** The one accumulator: products fill it, reductions empty it. */
export const COLUMNS: usize = memory.data(8 * (2 * MAX_LIMBS + 32), 16) + 8 * COLUMNS_BELOW

/** The second factor between zero limbs. */
const OPERAND: usize = memory.data(4 * (MAX_LIMBS + 16), 16) + 16

/** Rows between carries. A reduction adds as much to a column again. */
export const SETTLE_ROWS: i32 = 128

/** The lowest `columns` COLUMNS of a * b. There are `aLimbs` + `limbs` of them, and zeros above. */
export function multiply(a: usize, aLimbs: i32, b: usize, limbs: i32, columns: i32): void {
  clear(wholeRows(aLimbs) + wholeRows(limbs) + ROWS)
  v128.store(OPERAND - 16, i64x2.splat(0))
  let i: usize = 0
  for (const end: usize = 4 * limbs; i < end; i += 16) v128.store(OPERAND + i, v128.load(b + i))
  v128.store(OPERAND + i, i64x2.splat(0))
  for (let i = 0; i < aLimbs; i += ROWS) {
    const from = a + 4 * i
    const taken = min(wholeRows(limbs) + ROWS, wholeRows(columns - i))
    if (taken <= 0) break
    addRows(
      COLUMNS + 8 * i,
      OPERAND,
      taken,
      load<i32>(from),
      load<i32>(from, 4),
      load<i32>(from, 8),
      load<i32>(from, 12),
    )
    if (i % SETTLE_ROWS == SETTLE_ROWS - ROWS) settle(i - SETTLE_ROWS + ROWS, i + taken)
  }
}

/**
 * The lowest `columns` COLUMNS of a * a; `limbs` and `columns` are multiples of four. Each product of two different
 * limbs is computed once and doubled.
 */
export function square(a: usize, limbs: i32, columns: i32): void {
  clear(2 * limbs + ROWS)
  const end: usize = 4 * limbs
  for (let i: usize = 0; i < end; i += 16) v128.store(OPERAND + i, i32x4.shl(v128.load(a + i), 1))
  v128.store(OPERAND + end, i64x2.splat(0))
  for (let i = 0; i < limbs && 2 * i < columns; i += ROWS) {
    // The four rows' own limbs meet each other twice; those before them are done.
    const from = a + 4 * i
    const operand = OPERAND + 4 * i
    v128.store(operand, v128.load(from))
    v128.store(operand - 16, i64x2.splat(0))
    const taken = min(limbs - i + ROWS, columns - 2 * i)
    addRows(
      COLUMNS + 16 * i,
      operand,
      taken,
      load<i32>(from),
      load<i32>(from, 4),
      load<i32>(from, 8),
      load<i32>(from, 12),
    )
    // The limbs are doubled, so that one row adds as much as two.
    if (i % (SETTLE_ROWS / 2) == SETTLE_ROWS / 2 - ROWS)
      settle(2 * i - SETTLE_ROWS + 2 * ROWS, 2 * i + taken)
  }
}

/** out = the low `limbs` limbs of a * b. out may be an operand. */
export function multiplyLow(out: usize, a: usize, b: usize, limbs: i32): void {
  multiply(a, limbs, b, limbs, wholeRows(limbs))
  takeLimbs(out, COLUMNS, limbs)
}

/** Propagates carries from column `from` to column `to`, which keeps its excess. */
export function settle(from: i32, to: i32): void {
  let carry: u64 = 0
  let column = COLUMNS + 8 * from
  for (const end = COLUMNS + 8 * to; column < end; column += 8) {
    carry += load<u64>(column)
    store<u64>(column, carry & LIMB_MASK)
    carry >>= LIMB_BITS
  }
  store<u64>(column, load<u64>(column) + carry)
}

/** Reads columns out as limbs. The carry out of the last one is dropped. */
export function takeLimbs(out: usize, column: usize, limbs: i32): void {
  let carry: u64 = 0
  const end: usize = 4 * limbs
  for (let i: usize = 0; i < end; i += 4) {
    carry += load<u64>(column + 2 * i)
    store<u32>(out + i, (carry as u32) & LIMB_MASK)
    carry >>= LIMB_BITS
  }
  pad(out + end)
}

function clear(columns: i32): void {
  const end = COLUMNS + 8 * columns
  for (let column = COLUMNS; column < end; column += 16) v128.store(column, i64x2.splat(0))
}
