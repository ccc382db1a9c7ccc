import type { WeierstrassPoint, WeierstrassPointCons } from '@noble/curves/abstract/weierstrass.js'
import { bytesToBigint } from '../../../../host/base/bytes.ts'

/** Returns whether (x, y) satisfies y^2 = x^3 + b; the pairing curves have a = 0. */
export function isOnCurve<T>(curve: WeierstrassPointCons<T>, x: T, y: T): boolean {
  const field = curve.Fp
  const right = field.add(field.mul(field.sqr(x), x), curve.CURVE().b)
  return field.eql(field.sqr(y), right)
}

/** Returns whether the point is in the subgroup of prime order; noble caches a positive result. */
export function isInSubgroup<T>(point: WeierstrassPoint<T>): boolean {
  if (point.is0()) return true
  try {
    point.assertValidity()
    return true
  } catch {
    return false
  }
}

/** Returns the big-endian number in `length` bytes from `offset`. */
export function readNumber(bytes: Uint8Array, offset: number, length: number): bigint {
  return bytesToBigint(bytes.subarray(offset, offset + length))
}
