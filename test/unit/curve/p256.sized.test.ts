import { p256 } from '@noble/curves/nist.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { bigintToBytes } from '../../../host/base/bytes.ts'
import { compileAssembly } from '../../support/engine/assembly.ts'
import { bySet } from '../../support/run/by-set.ts'
import { type CurveModule, makeRandomBigint, openCurve } from './curve-module.ts'

const { Point } = p256
const ORDER = Point.Fn.ORDER
const PRIME = Point.Fp.ORDER
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn

const SOURCE = `
import { verify as verifySignature } from './assembly/curve/p256'
export const BUFFER: usize = memory.data(256)
export function verify(): bool {
  return verifySignature(BUFFER, BUFFER + 32, BUFFER + 64, BUFFER + 96, BUFFER + 128)
}
`

const modulo = (value: bigint): bigint => ((value % ORDER) + ORDER) % ORDER

describe('P-256 verification', () => {
  let curve: CurveModule

  beforeAll(async () => {
    curve = openCurve(await compileAssembly(SOURCE))
  })

  const verify = (digest: bigint, r: bigint, s: bigint, x: bigint, y: bigint): boolean => {
    for (const [i, value] of [digest, r, s, x, y].entries()) {
      curve.buffer.set(bigintToBytes(value, 32), 32 * i)
    }
    return Boolean(curve.exports.verify?.())
  }

  test('accepts random signatures and refuses each one changed', () => {
    const random = makeRandomBigint(11)
    for (let i = 0; i < bySet(200, 500); i++) {
      const key = modulo(random()) || 1n
      const digest = random() % (1n << 256n)
      const { x, y } = Point.BASE.multiply(key).toAffine()
      const signature = p256.sign(bigintToBytes(digest, 32), bigintToBytes(key, 32), {
        prehash: false,
      })
      const { r, s } = p256.Signature.fromBytes(signature, 'compact')
      expect(verify(digest, r, s, x, y), `seed 11, case ${i}`).toBe(true)
      expect(verify(digest, r, ORDER - s, x, y), `seed 11, case ${i}`).toBe(true)
      expect(verify(digest ^ 1n, r, s, x, y), `seed 11, case ${i}`).toBe(false)
      expect(verify(digest, s, r, x, y), `seed 11, case ${i}`).toBe(false)
      expect(verify(digest, r, s, x, PRIME - y), `seed 11, case ${i}`).toBe(false)
      expect(verify(digest, r, s, x, y ^ 1n), `seed 11, case ${i}`).toBe(false)
    }
  })

  test('is correct at every special pair of multipliers that doubles or cancels', () => {
    const random = makeRandomBigint(12)
    const special = [0n, 1n, 2n, 3n, 4n, 5n, 15n, 16n, 17n, 31n, 127n, 128n, 129n, 1n << 128n]
    special.push(ORDER - 1n, ORDER - 2n, ORDER - 15n, ORDER >> 1n, modulo(random()))
    const keys = [ORDER - 1n, 2n, modulo(random()), 1n, 3n, 15n, ORDER - 2n, 1n << 255n]
    for (const key of keys.slice(0, bySet(3, keys.length))) {
      const { x, y } = Point.BASE.multiply(modulo(key)).toAffine()
      for (const u1 of special) {
        for (const u2 of special) {
          if (u2 === 0n) continue
          const sum = modulo(u1 + u2 * key)
          // Choose the x coordinate of the sum as r, or anything if the sum is at infinity.
          const r = sum === 0n ? 5n : modulo(Point.BASE.multiply(sum).toAffine().x)
          const s = modulo(r * Point.Fn.inv(u2))
          const digest = modulo(u1 * s)
          const message = `key=${key} u1=${u1} u2=${u2}`
          expect(verify(digest, r, s, x, y), message).toBe(sum !== 0n)
        }
      }
    }
  })

  test('refuses r and s outside [1, n)', () => {
    const key = 77n
    const { x, y } = Point.BASE.multiply(key).toAffine()
    const r = modulo(Point.BASE.x)
    const s = modulo(1n + r * key)
    expect(verify(1n, r, s, x, y)).toBe(true)
    for (const wrong of [0n, ORDER, r + ORDER, (1n << 256n) - 1n]) {
      if (wrong >= 1n << 256n) continue
      expect(verify(1n, wrong, s, x, y), `r=${wrong}`).toBe(false)
      expect(verify(1n, r, wrong, x, y), `s=${wrong}`).toBe(false)
    }
  })

  test('refuses invalid keys', () => {
    expect(verify(1n, 1n, 1n, 0n, 0n)).toBe(false)
    expect(verify(1n, 1n, 1n, Point.BASE.x, Point.BASE.y + 1n)).toBe(false)
    expect(verify(1n, 1n, 1n, PRIME, 0n)).toBe(false)
    // A key with x = 0 verifies; the same point written with x = p must not.
    const y = Point.Fp.sqrt(B)
    const point = Point.fromAffine({ x: 0n, y })
    const r = modulo(Point.BASE.add(point).toAffine().x)
    expect(verify(r, r, r, 0n, y)).toBe(true)
    expect(verify(r, r, r, PRIME, y)).toBe(false)
  })

  test('accepts an x coordinate above the order', () => {
    // The first x from n up with a point: its signature has x - n as r.
    let x = ORDER
    const isSquare = (value: bigint): boolean => {
      try {
        Point.Fp.sqrt(value)
        return true
      } catch {
        return false
      }
    }
    const right = (value: bigint): bigint => Point.Fp.create(value ** 3n - 3n * value + B)
    while (!isSquare(right(x)) || x === ORDER) x++
    const sum = Point.fromAffine({ x, y: Point.Fp.sqrt(right(x)) })
    // u1 = u2 = 1: the key is the sum minus the generator.
    const key = sum.subtract(Point.BASE).toAffine()
    const r = x - ORDER
    expect(verify(r, r, r, key.x, key.y)).toBe(true)
  })
})
