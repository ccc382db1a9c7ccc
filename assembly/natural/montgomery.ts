/** Montgomery reduction of COLUMNS, four limbs of the quotient per iteration. */
import { LIMB_BITS, LIMB_MASK } from './limbs'
import { COLUMNS, SETTLE_ROWS, settle, takeLimbs } from './product'
import { addRows, ROWS } from './rows'

/**
 * out = COLUMNS / 2^(28 * limbs) modulo `modulus`, for 2 * limbs columns. `limbs` is a multiple of four. The modulus
 * is odd, below 2^(28 * limbs - 2) and padded with four limbs. `inverse` is -1 / modulus modulo 2^28. If the factors
 * are below twice the modulus, so is the result.
 */
export function reduceMontgomery(out: usize, modulus: usize, limbs: i32, inverse: u32): void {
  const m0: u64 = load<u32>(modulus)
  const m1: u64 = load<u32>(modulus, 4)
  const m2: u64 = load<u32>(modulus, 8)
  const m3: u64 = load<u32>(modulus, 12)
  for (let i = 0; i < limbs; i += ROWS) {
    const column = COLUMNS + 8 * i
    let sum = load<u64>(column)
    const q0: u64 = ((sum as u32) * inverse) & LIMB_MASK
    sum = ((sum + q0 * m0) >> LIMB_BITS) + load<u64>(column, 8) + q0 * m1
    const q1: u64 = ((sum as u32) * inverse) & LIMB_MASK
    sum = ((sum + q1 * m0) >> LIMB_BITS) + load<u64>(column, 16) + q0 * m2 + q1 * m1
    const q2: u64 = ((sum as u32) * inverse) & LIMB_MASK
    sum = ((sum + q2 * m0) >> LIMB_BITS) + load<u64>(column, 24) + q0 * m3 + q1 * m2 + q2 * m1
    const q3: u64 = ((sum as u32) * inverse) & LIMB_MASK
    store<u64>(column, load<u64>(column, 32) + ((sum + q3 * m0) >> LIMB_BITS), 32)
    addRows(column + 32, modulus + 16, limbs, q0 as i32, q1 as i32, q2 as i32, q3 as i32)
    if (i % SETTLE_ROWS == SETTLE_ROWS - ROWS) settle(i + ROWS, i + limbs + ROWS)
  }
  takeLimbs(out, COLUMNS + 8 * limbs, limbs)
}
