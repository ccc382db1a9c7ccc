import { bn254 } from '@noble/curves/bn254.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { bigintToBytes, concatBytes } from '../../../host/base/bytes.ts'
import { formatData } from '../../../host/base/hex.ts'
import { bySet } from '../../support/run/by-set.ts'
import { PrecompileModule } from '../precompile/precompile-module.ts'
import { makeRandomBigint } from './curve-module.ts'
import { addMclBn254, multiplyMclBn254, openMclBn254, pairMclBn254 } from './oracles/mcl-bn254.ts'
import {
  addBn254,
  encodeG1,
  encodeG2,
  type G1Point,
  type G2Point,
  multiplyBn254,
  pairBn254,
} from './oracles/noble-bn254.ts'

const { G1, G2, fields } = bn254
const { Fp, Fp2, Fr } = fields
const FIRST = G1.Point.BASE
const SECOND = G2.Point.BASE
const PARAMETER = 4965661367192848881n

const ADD = 0x06
const MUL = 0x07
const PAIRING = 0x08

const word = (value: bigint | number): Uint8Array => bigintToBytes(BigInt(value), 32)
const zeros = (length: number): Uint8Array => new Uint8Array(length)
const pair = (g1: G1Point, g2: G2Point): Uint8Array => concatBytes([encodeG1(g1), encodeG2(g2)])
const random = makeRandomBigint(254)
const randomScalar = (): bigint => (random() % (Fr.ORDER - 1n)) + 1n

/** Points at a random distance from each other, since an addition takes a hundredth of a multiplication. */
let last = FIRST.multiply(randomScalar())
const step = FIRST.multiply(randomScalar())
function randomPoint(): G1Point {
  last = last.add(step)
  return last
}

let table: PrecompileModule

beforeAll(async () => {
  table = await PrecompileModule.open()
  await openMclBn254()
})

function call(id: number, ...parts: Uint8Array[]): string | undefined {
  const output = table.run(id, concatBytes(parts))
  return output === undefined ? undefined : formatData(output)
}

type Oracle = (input: Uint8Array) => Uint8Array | undefined

/**
 * Oracles by mcl and by noble. noble takes ten times as long, so that the fast set asks it only for the first of
 * NOBLE_EVERY answers.
 */
const ORACLES: ReadonlyMap<number, readonly [mcl: Oracle, noble: Oracle]> = new Map([
  [ADD, [addMclBn254, addBn254]],
  [MUL, [multiplyMclBn254, multiplyBn254]],
  [PAIRING, [pairMclBn254, pairBn254]],
])
const NOBLE_EVERY = bySet(7, 1)
const answers = new Map<number, number>()

/** Returns the module's output after both oracles returned the same. */
function callChecked(id: number, ...parts: Uint8Array[]): string | undefined {
  const input = concatBytes(parts)
  const output = call(id, input)
  const count = answers.get(id) ?? 0
  answers.set(id, count + 1)
  const oracles = ORACLES.get(id) ?? []
  for (const oracle of count % NOBLE_EVERY === 0 ? oracles : oracles.slice(0, 1)) {
    const expected = oracle(input)
    const text = expected === undefined ? undefined : formatData(expected)
    if (output !== text) expect(output, `${oracle.name} of ${formatData(input)}`).toBe(text)
  }
  return output
}

describe('ECADD', () => {
  test('agrees with both oracles', () => {
    for (let i = 0; i < bySet(40, 100); i++) {
      const [a, b] = [randomPoint(), randomPoint()]
      callChecked(ADD, encodeG1(a), encodeG1(b))
      callChecked(ADD, encodeG1(a), encodeG1(a))
      expect(callChecked(ADD, encodeG1(a), encodeG1(a.negate()))).toBe(formatData(zeros(64)))
      expect(callChecked(ADD, encodeG1(a), zeros(64))).toBe(formatData(encodeG1(a)))
      expect(callChecked(ADD, zeros(64), encodeG1(a))).toBe(formatData(encodeG1(a)))
    }
    expect(callChecked(ADD, zeros(128))).toBe(formatData(zeros(64)))
  })

  test('pads missing bytes with zeros and ignores extra ones', () => {
    const double = formatData(encodeG1(FIRST.double()))
    expect(call(ADD, encodeG1(FIRST), encodeG1(FIRST), Uint8Array.of(1))).toBe(double)
    expect(call(ADD, encodeG1(FIRST))).toBe(formatData(encodeG1(FIRST)))
    expect(call(ADD)).toBe(formatData(zeros(64)))
    expect(call(ADD, encodeG1(FIRST).subarray(0, 63))).toBeUndefined()
  })
})

describe('ECMUL', () => {
  test('agrees with both oracles on random points and scalars', () => {
    for (let i = 0; i < bySet(40, 100); i++) {
      const point = encodeG1(randomPoint())
      callChecked(MUL, point, word(random() >> 64n))
      callChecked(MUL, point, word(random() >> (64n + BigInt(5 * i))))
    }
  })

  test('agrees with both oracles on edge-case scalars', () => {
    const beta = Fp.pow(3n, (Fp.ORDER - 1n) / 3n)
    // The scalar that multiplies like the endomorphism, whichever of its two roots beta is.
    const lambda = 36n * PARAMETER ** 3n + 18n * PARAMETER ** 2n + 6n * PARAMETER + 1n
    expect(Fp.mul(beta, Fp.sqr(beta))).toBe(1n)
    expect((lambda * lambda + lambda + 1n) % Fr.ORDER).toBe(0n)
    const edges = [0n, 1n, Fr.ORDER, 2n * Fr.ORDER, Fr.ORDER / 2n, lambda, Fr.ORDER - lambda]
    for (const bits of [32n, 63n, 64n, 127n, 128n, 129n, 160n, 192n, 253n, 254n, 255n, 256n]) {
      edges.push(1n << bits)
    }
    for (const basis of [2n * PARAMETER + 1n, 6n * PARAMETER ** 2n + 2n * PARAMETER]) {
      edges.push(basis, basis * lambda)
    }
    const point = encodeG1(FIRST.multiply(randomScalar()))
    for (const edge of edges) {
      for (let delta = -9n; delta <= 9n; delta++) {
        const scalar = edge + delta
        if (scalar < 0n || scalar >> 256n !== 0n) continue
        callChecked(MUL, point, word(scalar))
      }
    }
    expect(call(MUL, point, word(Fr.ORDER))).toBe(formatData(zeros(64)))
    expect(call(MUL, zeros(64), word(5))).toBe(formatData(zeros(64)))
  })

  test('handles the exceptional additions of small multiples of the endomorphism', () => {
    const lambda = 36n * PARAMETER ** 3n + 18n * PARAMETER ** 2n + 6n * PARAMETER + 1n
    const point = encodeG1(FIRST)
    // With both signs inverted, all points are the opposite ones.
    for (let a = -8n; a <= 8n; a++) {
      for (let b = 0n; b <= 8n; b++) callChecked(MUL, point, word(Fr.create(a + b * lambda)))
    }
  })

  test('pads missing bytes with zeros', () => {
    expect(call(MUL, encodeG1(FIRST))).toBe(formatData(zeros(64)))
    const short = concatBytes([encodeG1(FIRST), Uint8Array.of(1)])
    expect(call(MUL, short)).toBe(formatData(encodeG1(FIRST.multiply(1n << 248n))))
  })
})

describe('coordinates', () => {
  test('must be below the prime and on the curve for every point', () => {
    const wrong = [
      concatBytes([word(1), word(1)]),
      concatBytes([word(1n + Fp.ORDER), word(2)]),
      concatBytes([word(1), word(2n + Fp.ORDER)]),
      concatBytes([word(Fp.ORDER), word(0)]),
      concatBytes([word(0), word(Fp.ORDER)]),
      zeros(64).fill(0xff),
    ]
    for (const point of wrong) {
      expect(callChecked(ADD, point, encodeG1(FIRST))).toBeUndefined()
      expect(callChecked(ADD, zeros(64), point)).toBeUndefined()
      expect(callChecked(MUL, point, word(0))).toBeUndefined()
      expect(callChecked(PAIRING, point, encodeG2(SECOND))).toBeUndefined()
      expect(callChecked(PAIRING, point, zeros(128))).toBeUndefined()
    }
    for (let part = 0; part < 4; part++) {
      const tooLarge = encodeG2(SECOND)
      tooLarge.set(word(Fp.ORDER), 32 * part)
      expect(callChecked(PAIRING, encodeG1(FIRST), tooLarge)).toBeUndefined()
      const off = encodeG2(SECOND)
      off[32 * part + 31] = (off[32 * part + 31] as number) ^ 1
      expect(callChecked(PAIRING, zeros(64), off)).toBeUndefined()
    }
  })
})

describe('ECPAIRING', () => {
  test('is bilinear', () => {
    for (let i = 0; i < bySet(3, 8); i++) {
      const a = randomScalar()
      const b = randomScalar()
      const left = pair(FIRST.multiply(a), SECOND.multiply(b))
      const inverse = FIRST.multiply(Fr.mul(a, b)).negate()
      expect(callChecked(PAIRING, left, pair(inverse, SECOND))).toBe(formatData(word(1)))
      expect(callChecked(PAIRING, left, pair(inverse.add(FIRST), SECOND))).toBe(formatData(word(0)))
    }
  })

  test('ignores points at infinity and returns one without pairs', () => {
    expect(callChecked(PAIRING)).toBe(formatData(word(1)))
    expect(callChecked(PAIRING, pair(FIRST, SECOND))).toBe(formatData(word(0)))
    expect(callChecked(PAIRING, zeros(64), encodeG2(SECOND))).toBe(formatData(word(1)))
    expect(callChecked(PAIRING, encodeG1(FIRST), zeros(128))).toBe(formatData(word(1)))
    expect(callChecked(PAIRING, zeros(192), pair(FIRST, SECOND), zeros(192))).toBe(
      formatData(word(0)),
    )
  })

  test('accepts more pairs than one batch holds', () => {
    for (const count of [15, 16, 17, 33]) {
      const parts: Uint8Array[] = []
      let sum = 0n
      for (let i = 1; i < count; i++) {
        const a = randomScalar()
        const b = BigInt(i)
        sum = Fr.add(sum, Fr.mul(a, b))
        parts.push(pair(FIRST.multiply(a), SECOND.multiply(b)))
        if (i % 5 === 0) parts.push(zeros(192))
      }
      const last = pair(FIRST.multiply(sum).negate(), SECOND)
      expect(call(PAIRING, ...parts, last), `${count}`).toBe(formatData(word(1)))
      expect(call(PAIRING, ...parts, pair(FIRST, SECOND)), `${count}`).toBe(formatData(word(0)))
    }
  })

  test('fails for a length that is no multiple of a pair', () => {
    for (const length of [1, 64, 191, 193, 383]) {
      expect(call(PAIRING, zeros(length)), `${length}`).toBeUndefined()
    }
  })
})

describe('the subgroup check of the twist', () => {
  /** Returns the first point whose x has the given parts; nearly all are outside the subgroup. */
  function findPoint(start: bigint): G2Point {
    for (let c0 = start; ; c0++) {
      const x = Fp2.fromBigTuple([c0, 1n])
      try {
        const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2.Point.CURVE().b))
        return G2.Point.fromAffine({ x, y })
      } catch {
        // Without a root, try the next x.
      }
    }
  }

  /** Returns k * point for any point of the twist; noble reduces or refuses scalars above the order. */
  function multiplyAny(point: G2Point, k: bigint): G2Point {
    let sum = G2.Point.ZERO
    for (let i = k.toString(2).length - 1; i >= 0; i--) {
      sum = sum.double()
      if (((k >> BigInt(i)) & 1n) === 1n) sum = sum.add(point)
    }
    return sum
  }

  /** Number of points of the twist divided by the order of the subgroup. */
  const cofactor = 2n * Fp.ORDER - Fr.ORDER
  const isAccepted = (point: G2Point): boolean =>
    call(PAIRING, zeros(64), encodeG2(point)) !== undefined

  test('by the end of the Miller loop agrees with multiplication by the order', () => {
    let outside = 0
    for (let i = 0n; i < bySet(6n, 12n); i++) {
      const point = findPoint(1000n * i)
      expect(multiplyAny(point, Fr.ORDER * cofactor).is0()).toBe(true)
      const isInside = multiplyAny(point, Fr.ORDER).is0()
      if (!isInside) outside++
      expect(isAccepted(point)).toBe(isInside)
      expect(call(PAIRING, encodeG1(FIRST), encodeG2(point)) !== undefined).toBe(isInside)
      expect(pairMclBn254(concatBytes([encodeG1(FIRST), encodeG2(point)])) !== undefined).toBe(
        isInside,
      )
      expect(isAccepted(multiplyAny(point, cofactor))).toBe(true)
      expect(isAccepted(multiplyAny(point, Fr.ORDER))).toBe(false)
    }
    expect(outside).toBeGreaterThan(0)
  })

  test('refuses points of small order, for which steps of the loop are exceptional', () => {
    const smallOrders = [10069n, 5864401n]
    for (const order of smallOrders) {
      expect(cofactor % order).toBe(0n)
      const small = multiplyAny(findPoint(7n), (Fr.ORDER * cofactor) / order)
      expect(small.is0()).toBe(false)
      expect(multiplyAny(small, order).is0()).toBe(true)
      expect(isAccepted(small)).toBe(false)
      expect(isAccepted(small.add(SECOND))).toBe(false)
    }
  })

  test('follows from the relation of the loop alone', () => {
    // The degree of the endomorphism (6u + 2) + x - x^2 + x^3, with x^2 = t x - p.
    const trace = 6n * PARAMETER ** 2n + 1n
    const coefficients = [6n * PARAMETER + 2n, 1n, -1n, 1n]
    for (let i = 3; i >= 2; i--) {
      const top = coefficients.pop() as bigint
      coefficients[i - 1] = (coefficients[i - 1] as bigint) + top * trace
      coefficients[i - 2] = (coefficients[i - 2] as bigint) - top * Fp.ORDER
    }
    const [a, b] = coefficients as [bigint, bigint]
    const degree = a * a + trace * a * b + Fp.ORDER * b * b
    let [gcd, rest] = [degree, Fr.ORDER * cofactor]
    while (rest !== 0n) [gcd, rest] = [rest, gcd % rest]
    expect(gcd).toBe(Fr.ORDER)
  })
})
