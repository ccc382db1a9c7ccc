/** Montgomery reduction of COLUMNS, two limbs of the quotient a turn. */
import { LIMB_BITS, LIMB_MASK } from './limbs'
import { COLUMNS, SETTLE_ROWS, settle, takeLimbs } from './product'

/**
 * out = COLUMNS / 2^(28 * limbs) modulo `modulus`, for 2 * limbs columns. `limbs` is even, the modulus
 * odd and below 2^(28 * limbs - 2); `inverse` is -1 / modulus modulo 2^28. From factors below twice
 * the modulus comes a result below twice the modulus.
 */
export function reduceMontgomery(out: usize, modulus: usize, limbs: i32, inverse: u32): void {
  const size: usize = 4 * limbs
  const modulus0: u64 = load<u32>(modulus)
  const modulus1: u64 = load<u32>(modulus, 4)
  for (let i = 0; i < limbs; i += 2) {
    let column = COLUMNS + 8 * i
    let sum = load<u64>(column)
    const low: u64 = ((sum as u32) * inverse) & LIMB_MASK
    sum = ((sum + low * modulus0) >> LIMB_BITS) + load<u64>(column, 8) + low * modulus1
    const high: u64 = ((sum as u32) * inverse) & LIMB_MASK
    sum = (sum + high * modulus0) >> LIMB_BITS
    store<u64>(column, load<u64>(column, 16) + sum, 16)
    column += 16
    let before = modulus1
    for (let j: usize = 8; j < size; j += 8) {
      const first: u64 = load<u32>(modulus + j)
      const second: u64 = load<u32>(modulus + j, 4)
      store<u64>(column, load<u64>(column) + low * first + high * before)
      store<u64>(column, load<u64>(column, 8) + low * second + high * first, 8)
      before = second
      column += 16
    }
    store<u64>(column, load<u64>(column) + high * before)
    if (i % SETTLE_ROWS == SETTLE_ROWS - 2) settle(i + 2, i + limbs + 1)
  }
  takeLimbs(out, COLUMNS + 8 * limbs, limbs)
}
