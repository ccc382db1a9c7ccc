/**
 * Products into columns: column k is the sum of all a[i] * b[k - i], a u64 that takes 256 of them before
 * it must hand carries on. Rows are taken in pairs, four multiplications for two loads of `b`: the
 * multiplier of the machine is what bounds it. Factors have an even number of limbs.
 */
import { LIMB_BITS, LIMB_MASK, MAX_LIMBS, pad } from './limbs'

/** The one accumulator: products fill it, reductions empty it. */
export const COLUMNS: usize = memory.data(8 * (2 * MAX_LIMBS + 8), 16)

/** Rows between carries: a column gets two products of each in a squaring, and as many in a reduction. */
export const SETTLE_ROWS: i32 = 64

/** COLUMNS = a * b, of `aLimbs` + `limbs` columns. */
export function multiply(a: usize, aLimbs: i32, b: usize, limbs: i32): void {
  clear(aLimbs + limbs)
  const size: usize = 4 * limbs
  for (let i = 0; i < aLimbs; i += 2) {
    const low: u64 = load<u32>(a + 4 * i)
    const high: u64 = load<u32>(a + 4 * i, 4)
    let column = COLUMNS + 8 * i
    let before: u64 = 0
    for (let j: usize = 0; j < size; j += 8) {
      const first: u64 = load<u32>(b + j)
      const second: u64 = load<u32>(b + j, 4)
      store<u64>(column, load<u64>(column) + low * first + high * before)
      store<u64>(column, load<u64>(column, 8) + low * second + high * first, 8)
      before = second
      column += 16
    }
    store<u64>(column, load<u64>(column) + high * before)
    if (i % SETTLE_ROWS == SETTLE_ROWS - 2) settle(i - SETTLE_ROWS + 2, i + limbs + 1)
  }
}

/** COLUMNS = a * a, of 2 * limbs columns: products of two different limbs are taken once, doubled. */
export function square(a: usize, limbs: i32): void {
  clear(2 * limbs)
  const size: usize = 4 * limbs
  for (let i = 0; i < limbs; i += 2) {
    let low: u64 = load<u32>(a + 4 * i)
    let high: u64 = load<u32>(a + 4 * i, 4)
    let column = COLUMNS + 16 * i
    store<u64>(column, load<u64>(column) + low * low)
    store<u64>(column, load<u64>(column, 8) + 2 * low * high, 8)
    store<u64>(column, load<u64>(column, 16) + high * high, 16)
    column += 16
    low <<= 1
    high <<= 1
    let before: u64 = 0
    for (let j: usize = 4 * i + 8; j < size; j += 8) {
      const first: u64 = load<u32>(a + j)
      const second: u64 = load<u32>(a + j, 4)
      store<u64>(column, load<u64>(column) + low * first + high * before)
      store<u64>(column, load<u64>(column, 8) + low * second + high * first, 8)
      before = second
      column += 16
    }
    store<u64>(column, load<u64>(column) + high * before)
    if (i % SETTLE_ROWS == SETTLE_ROWS - 2) settle(2 * (i - SETTLE_ROWS + 2), max(i + limbs, 2 * i + 2) + 1)
  }
}

/** out = the low `limbs` limbs of a * b; may be one of them. */
export function multiplyLow(out: usize, a: usize, b: usize, limbs: i32): void {
  clear(limbs + 2)
  const size: usize = 4 * limbs
  for (let i: usize = 0; i < size; i += 8) {
    const low: u64 = load<u32>(a + i)
    const high: u64 = load<u32>(a + i, 4)
    let column = COLUMNS + 2 * i
    let before: u64 = 0
    for (let j: usize = 0; i + j < size; j += 8) {
      const first: u64 = load<u32>(b + j)
      const second: u64 = load<u32>(b + j, 4)
      store<u64>(column, load<u64>(column) + low * first + high * before)
      store<u64>(column, load<u64>(column, 8) + low * second + high * first, 8)
      before = second
      column += 16
    }
    const row = (i >> 2) as i32
    if (row % SETTLE_ROWS == SETTLE_ROWS - 2) settle(row - SETTLE_ROWS + 2, limbs)
  }
  takeLimbs(out, COLUMNS, limbs)
}

/** Hands carries on from column `from` to column `to`, which keeps what it gets. */
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

/** Reads columns out as limbs; what is carried out of the last one is dropped. */
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
  for (let column = COLUMNS; column <= end; column += 8) store<u64>(column, 0)
}
