import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { bigintToBytes } from '../../../host/base/bytes.ts'
import { formatData } from '../../../host/base/hex.ts'
import { compileAssembly } from '../../support/engine/assembly.ts'
import { bySet } from '../../support/run/by-set.ts'
import { type CurveModule, makeRandomBigint, openCurve } from './curve-module.ts'

const { Point } = secp256k1
const ORDER = Point.Fn.ORDER
const PRIME = Point.Fp.ORDER
const LAMBDA = 0x5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72n

const SOURCE = `
import { recover as recoverKey, recoverAddress as recoverSigner } from './assembly/curve/secp256k1'
export const BUFFER: usize = memory.data(256)
export function recover(parity: u32): bool {
  return recoverKey(BUFFER, parity, BUFFER + 32, BUFFER + 64, BUFFER + 128)
}
export function recoverAddress(parity: u32): bool {
  return recoverSigner(BUFFER, parity, BUFFER + 32, BUFFER + 64, BUFFER + 128)
}
`

const modulo = (value: bigint): bigint => ((value % ORDER) + ORDER) % ORDER

describe('secp256k1 recovery', () => {
  let curve: CurveModule

  beforeAll(async () => {
    curve = openCurve(await compileAssembly(SOURCE))
  })

  const recover = (digest: bigint, r: bigint, s: bigint, parity: number): string | undefined => {
    const input = [digest, r, s]
    for (const [i, value] of input.entries()) curve.buffer.set(bigintToBytes(value, 32), 32 * i)
    return curve.exports.recover?.(parity) ? formatData(curve.buffer.slice(128, 192)) : undefined
  }

  /** Returns the key that a signature with nonce point k * G and these u1, u2 must recover: (u1 + u2 * k) * G. */
  const expectedKey = (scalar: bigint): string | undefined => keyOf(multiple(scalar))

  const multiple = (scalar: bigint) => (scalar === 0n ? Point.ZERO : Point.BASE.multiply(scalar))
  const keyOf = (point: typeof Point.BASE): string | undefined =>
    point.is0() ? undefined : formatData(point.toBytes(false).slice(1))

  test('agrees with noble on random signatures', () => {
    const random = makeRandomBigint(1)
    for (let i = 0; i < bySet(200, 2000); i++) {
      const key = modulo(random()) || 1n
      const digest = random() % (1n << 256n)
      const signature = secp256k1.sign(bigintToBytes(digest, 32), bigintToBytes(key, 32), {
        prehash: false,
        format: 'recovered',
      })
      const { r, s, recovery } = secp256k1.Signature.fromBytes(signature, 'recovered')
      if (recovery === undefined || recovery > 1) continue
      expect(recover(digest, r, s, recovery), `seed 1, case ${i}`).toBe(expectedKey(key))
    }
  })

  test('is correct at every special pair of multipliers that doubles or cancels', () => {
    const random = makeRandomBigint(2)
    const nonces = [modulo(random()), 2n, ORDER - 1n, LAMBDA]
    nonces.push(...bySet([], [1n, 3n, 5n, 15n, ORDER - 2n, 1n << 128n, ORDER - LAMBDA]))
    const multipliers = [0n, 1n, 2n, 3n, 4n, 5n, 15n, 16n, 17n, 31n, 127n, 128n, 129n]
    multipliers.push(ORDER - 1n, ORDER - 2n, ORDER - 15n, 1n << 128n, (1n << 128n) - 1n)
    multipliers.push(LAMBDA, ORDER - LAMBDA, modulo(random()))
    const firsts = multipliers.map(multiple)
    for (const nonce of nonces) {
      const point = Point.BASE.multiply(nonce).toAffine()
      const r = modulo(point.x)
      const parity = Number(point.y & 1n)
      for (const u2 of multipliers) {
        if (u2 === 0n) continue
        const second = multiple(modulo(u2 * nonce))
        for (const [i, u1] of multipliers.entries()) {
          const got = recover(modulo(-u1 * r), r, modulo(u2 * r), parity)
          const expected = keyOf((firsts[i] as typeof Point.BASE).add(second))
          if (got !== expected) expect(got, `k=${nonce} u1=${u1} u2=${u2}`).toBe(expected)
        }
      }
    }
  })

  test('reduces a digest above the order', () => {
    const { x, y } = Point.BASE.multiply(7n).toAffine()
    const parity = Number(y & 1n)
    const above = (1n << 256n) - 1n
    expect(recover(above, x, 9n, parity)).toBe(recover(above - ORDER, x, 9n, parity))
    expect(recover(ORDER, x, 9n, parity)).toBe(recover(0n, x, 9n, parity))
  })

  test('refuses r and s outside [1, n)', () => {
    const { x, y } = Point.BASE.toAffine()
    const parity = Number(y & 1n)
    expect(recover(2n, x, 1n, parity)).toBeDefined()
    expect(recover(2n, x, ORDER - 1n, parity)).toBeDefined()
    for (const wrong of [0n, ORDER, ORDER + 1n, PRIME, (1n << 256n) - 1n]) {
      expect(recover(2n, wrong, 1n, parity), `r=${wrong}`).toBeUndefined()
      expect(recover(2n, x, wrong, parity), `s=${wrong}`).toBeUndefined()
    }
  })

  test('refuses an r that is not an x coordinate', () => {
    const random = makeRandomBigint(3)
    for (let i = 0; i < 200; i++) {
      const r = i < 50 ? BigInt(i + 1) : modulo(random())
      const onCurve = isSquare((r ** 3n + 7n) % PRIME)
      expect(recover(random() % ORDER, r, 1n, 0) !== undefined, `r=${r}`).toBe(onCurve)
    }
    function isSquare(value: bigint): boolean {
      let power = 1n
      let base = value
      for (let e = (PRIME - 1n) / 2n; e > 0n; e >>= 1n) {
        if ((e & 1n) === 1n) power = (power * base) % PRIME
        base = (base * base) % PRIME
      }
      return power === 1n
    }
  })

  test('returns the address of the recovered key', () => {
    const key = 0x4646464646464646464646464646464646464646464646464646464646464646n
    const digest = 0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53n
    // The example of EIP-155.
    const r = 18515461264373351373200002665853028612451056578545711640558177340181847433846n
    const s = 46948507304638947509940763649030358759909902576025900602547168820602576006531n
    expect(recover(digest, r, s, 0)).toBe(expectedKey(key))
    expect(curve.exports.recoverAddress?.(0)).toBeTruthy()
    const publicKey = Point.BASE.multiply(key).toBytes(false).slice(1)
    expect(formatData(curve.buffer.slice(128, 148))).toBe(
      formatData(keccak_256(publicKey).slice(12)),
    )
    expect(formatData(curve.buffer.slice(128, 148))).toBe(
      '0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f',
    )
  })
})
