/** The inner loop of all products and reductions: four rows of a schoolbook product in integer SIMD. */

/** Rows processed at once. Numbers in rows have a multiple of it as their limbs. */
export const ROWS: i32 = 4

/** Returns the least multiple of ROWS that is not below `limbs`. */
@inline
export function wholeRows(limbs: i32): i32 {
  return (limbs + ROWS - 1) & ~(ROWS - 1)
}

/**
 * columns[k] += f0 * b[k] + f1 * b[k - 1] + f2 * b[k - 2] + f3 * b[k - 3] for `limbs` columns, a multiple of four. b
 * is read from three limbs below on. Two products per instruction, of signed 32 bits: twice the rate of the machine's
 * scalar multiplier.
 */
export function addRows(
  columns: usize,
  b: usize,
  limbs: i32,
  f0: i32,
  f1: i32,
  f2: i32,
  f3: i32,
): void {
  const first = i32x4.splat(f0)
  const second = i32x4.splat(f1)
  const third = i32x4.splat(f2)
  const fourth = i32x4.splat(f3)
  const end = columns + 8 * limbs
  b -= 12
  for (; columns < end; columns += 32) {
    const b0 = v128.load(b, 12)
    const b1 = v128.load(b, 8)
    const b2 = v128.load(b, 4)
    const b3 = v128.load(b)
    let low = v128.load(columns)
    let high = v128.load(columns, 16)
    low = i64x2.add(low, i64x2.extmul_low_i32x4_s(first, b0))
    high = i64x2.add(high, i64x2.extmul_high_i32x4_s(first, b0))
    low = i64x2.add(low, i64x2.extmul_low_i32x4_s(second, b1))
    high = i64x2.add(high, i64x2.extmul_high_i32x4_s(second, b1))
    low = i64x2.add(low, i64x2.extmul_low_i32x4_s(third, b2))
    high = i64x2.add(high, i64x2.extmul_high_i32x4_s(third, b2))
    low = i64x2.add(low, i64x2.extmul_low_i32x4_s(fourth, b3))
    high = i64x2.add(high, i64x2.extmul_high_i32x4_s(fourth, b3))
    v128.store(columns, low)
    v128.store(columns, high, 16)
    b += 16
  }
}
