/** G1: y^2 = x^3 + 4 over Fp. Encoding: EIP-2537; membership: Bowe, eprint 2019/814, section 3. */
import { BETA, G1_B } from '../generated/bls12-381-constants'
import { add, copy, multiplyFp, negate, squareFp } from '../generated/bls12-381-field'
import { decodeFp, encodeFp, FIELD_BYTES, isUpperHalfFp, isZeroFp, rootFp } from './fp'
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

/** A field element is 16 zeros, then 48 bytes. */
export const PADDED_BYTES: i32 = 64
export const PADDING: i32 = PADDED_BYTES - FIELD_BYTES
export const G1_BYTES: i32 = 2 * PADDED_BYTES

const IMAGE: usize = memory.data(AFFINE, 16)
const AFFINE_RESULT: usize = memory.data(AFFINE, 16)
const MULTIPLE: usize = memory.data(POINT, 16)
const X_BYTES: usize = memory.data(FIELD_BYTES)

export function decodePadded(out: usize, bytes: usize): bool {
  return (load<u64>(bytes) | load<u64>(bytes, 8)) == 0 && decodeFp(out, bytes + PADDING)
}

export function encodePadded(bytes: usize, a: usize): void {
  memory.fill(bytes, 0, PADDING)
  encodeFp(bytes + PADDING, a)
}

/** Reads a point. Returns false if a coordinate is not a field element or the point is not on the curve. */
export function decodeG1(out: usize, bytes: usize): bool {
  if (!decodePadded(out, bytes) || !decodePadded(out + Y, bytes + PADDED_BYTES)) return false
  const isAtInfinity = isZeroFp(out) && isZeroFp(out + Y)
  setAffineInfinity(out, isAtInfinity)
  return isAtInfinity || isOnCurve<u32>(out, G1_B)
}

/** Writes a Jacobian point. */
export function encodeG1(bytes: usize, p: usize): void {
  memory.fill(bytes, 0, G1_BYTES)
  if (isInfinity(p)) return
  toAffine<u32>(AFFINE_RESULT, p)
  encodePadded(bytes, AFFINE_RESULT)
  encodePadded(bytes + PADDED_BYTES, AFFINE_RESULT + Y)
}

/**
 * Reads a point of the subgroup from the 48 bytes of its compressed form (the pairing-friendly curves draft, appendix
 * C). Returns false if they are invalid.
 */
export function decompressG1(out: usize, bytes: usize): bool {
  const flags: i32 = load<u8>(bytes)
  if ((flags & 0x80) == 0) return false
  memory.copy(X_BYTES, bytes, FIELD_BYTES)
  store<u8>(X_BYTES, flags & 0x1f)
  if (!decodeFp(out, X_BYTES)) return false
  const isAtInfinity = (flags & 0x40) != 0
  setAffineInfinity(out, isAtInfinity)
  if (isAtInfinity) return flags == 0xc0 && isZeroFp(out)
  const y = out + Y
  squareFp(y, out)
  multiplyFp(y, y, out)
  add(y, y, G1_B)
  if (!rootFp(y, y)) return false
  if (isUpperHalfFp(y) != ((flags & 0x20) != 0)) negate(y, y)
  return isInG1(out)
}

/** phi(x, y) = (beta * x, y). On the subgroup it multiplies by -z^2. */
export function applyPhi(out: usize, p: usize): void {
  multiplyFp(out, p, BETA)
  copy(out + Y, p + Y)
  setAffineInfinity(out, isAffineInfinity(p))
}

/** Returns true if a point of the curve is in the subgroup: z^2 * p = -phi(p). */
export function isInG1(p: usize): bool {
  if (isAffineInfinity(p)) return true
  applyPhi(IMAGE, p)
  negate(IMAGE + Y, IMAGE + Y)
  multiplyByParameter<u32>(MULTIPLE, p)
  toAffine<u32>(AFFINE_RESULT, MULTIPLE)
  multiplyByParameter<u32>(MULTIPLE, AFFINE_RESULT)
  return isEqualToAffine<u32>(MULTIPLE, IMAGE)
}
