/** G2: y^2 = x^3 + 4 (1 + i) over Fp2. Encoding: EIP-2537; membership: Scott, eprint 2021/1130. */
import { G2_B, PSI_X, PSI_Y } from '../generated/bls12-381-constants'
import { conjugate, multiplyFp2, negate } from '../generated/bls12-381-field'
import { isZeroFp2 } from './fp2'
import { decodePadded, encodePadded, PADDED_BYTES } from './g1'
import {
  AFFINE,
  isAffineInfinity,
  isEqualToAffine,
  isInfinity,
  isOnCurve,
  multiplyByParameter,
  POINT,
  setAffineInfinity,
  toAffine,
  Y,
} from './group'

export const G2_BYTES: i32 = 4 * PADDED_BYTES

const IMAGE: usize = memory.data(AFFINE, 16)
const AFFINE_RESULT: usize = memory.data(AFFINE, 16)
const MULTIPLE: usize = memory.data(POINT, 16)

export function decodePaddedFp2(out: usize, bytes: usize): bool {
  return decodePadded(out, bytes) && decodePadded(out + 4, bytes + PADDED_BYTES)
}

/** Reads a point. Returns false if a coordinate is not a field element or the point is not on the curve. */
export function decodeG2(out: usize, bytes: usize): bool {
  if (!decodePaddedFp2(out, bytes) || !decodePaddedFp2(out + Y, bytes + 2 * PADDED_BYTES)) {
    return false
  }
  const isAtInfinity = isZeroFp2(out) && isZeroFp2(out + Y)
  setAffineInfinity(out, isAtInfinity)
  return isAtInfinity || isOnCurve<u64>(out, G2_B)
}

/** Writes a Jacobian point. */
export function encodeG2(bytes: usize, p: usize): void {
  memory.fill(bytes, 0, G2_BYTES)
  if (isInfinity(p)) return
  toAffine<u64>(AFFINE_RESULT, p)
  for (let i = 0; i < 2; i++) {
    const coordinate = AFFINE_RESULT + Y * i
    encodePadded(bytes + 2 * PADDED_BYTES * i, coordinate)
    encodePadded(bytes + 2 * PADDED_BYTES * i + PADDED_BYTES, coordinate + 4)
  }
}

/** psi, the Frobenius map of the curve transferred to the twist. On the subgroup it multiplies by z. */
export function applyPsi(out: usize, p: usize): void {
  conjugate(out, p)
  multiplyFp2(out, out, PSI_X)
  conjugate(out + Y, p + Y)
  multiplyFp2(out + Y, out + Y, PSI_Y)
  setAffineInfinity(out, isAffineInfinity(p))
}

/** Returns true if a point of the curve is in the subgroup: |z| * p = -psi(p). */
export function isInG2(p: usize): bool {
  if (isAffineInfinity(p)) return true
  applyPsi(IMAGE, p)
  negate(IMAGE + Y, IMAGE + Y)
  multiplyByParameter<u64>(MULTIPLE, p)
  return isEqualToAffine<u64>(MULTIPLE, IMAGE)
}
