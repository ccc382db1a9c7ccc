import { bls12_381 } from '@noble/curves/bls12-381.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { compileAssembly } from '../../support/engine/assembly.ts'
import { type CurveModule, makeRandomBigint, openCurve } from './curve-module.ts'

const { Fp, Fp2, Fp12 } = bls12_381.fields
const RADIX = Fp.create(1n << 392n)
const LIMBS = 14
const ELEMENT = 112

/** Byte offset of a slot in the buffer; an Fp12 element takes six slots. */
const SLOT = (index: number): number => ELEMENT * index

const SOURCE = `
  export * from './assembly/curve/generated/bls12-381-field'
  export { invertFp, isZeroFp, rootFp } from './assembly/curve/bls12-381/fp'
  export { invertFp2, isZeroFp2, rootFp2, squareFp2 } from './assembly/curve/bls12-381/fp2'
  export {
    applyFrobenius, applyFrobeniusSquared, invertFp12, isOne, multiplyByLine, multiplyFp12,
    setOne, squareCyclotomic, squareFp12, conjugateFp12,
  } from './assembly/curve/bls12-381/fp12'
  export const BUFFER: usize = memory.data(4096, 16)
`

let module: CurveModule
let at: number
let view: DataView

beforeAll(async () => {
  module = openCurve(await compileAssembly(SOURCE, ['--enable', 'simd']))
  at = module.buffer.byteOffset
  view = new DataView(module.buffer.buffer, at, 4096)
})

/** Writes a value as limbs from -2^27 to 2^27, plus `primes` times the prime. */
function writeFp(offset: number, value: bigint, primes = 0n): void {
  let rest = Fp.create(value * RADIX) + primes * Fp.ORDER
  for (let i = 0; i < LIMBS; i++) {
    const limb = i < LIMBS - 1 ? BigInt.asIntN(28, rest) : rest
    view.setInt32(offset + 8 * i, Number(limb), true)
    rest = (rest - limb) >> 28n
  }
}

function readFp(offset: number): bigint {
  let value = 0n
  for (let i = LIMBS - 1; i >= 0; i--)
    value = (value << 28n) + BigInt(view.getInt32(offset + 8 * i, true))
  return Fp.mul(Fp.create(value), Fp.inv(RADIX))
}

/** Writes the largest element of a size in halves of 2^27: its value is at most `halves` times the prime. */
function fillHalf(offset: number, halves: number): void {
  const top = Number(Fp.ORDER >> 364n)
  for (let i = 0; i < LIMBS; i++) {
    view.setInt32(
      offset + 8 * i,
      halves * (i < LIMBS - 1 ? 2 ** 27 : top) - Math.sign(halves),
      true,
    )
  }
}

type Fp2Element = typeof Fp2.ONE
type Fp12Element = typeof Fp12.ONE
type BigintTwelve = Parameters<typeof Fp12.fromBigTwelve>[0]

function writeFp2(slot: number, { c0, c1 }: Fp2Element, primes = 0n): void {
  writeFp(SLOT(slot), c0, primes)
  writeFp(SLOT(slot) + 4, c1, -primes)
}

function readFp2(slot: number): Fp2Element {
  return Fp2.fromBigTuple([readFp(SLOT(slot)), readFp(SLOT(slot) + 4)])
}

const coefficients = ({ c0, c1 }: Fp12Element): Fp2Element[] => [
  c0.c0,
  c0.c1,
  c0.c2,
  c1.c0,
  c1.c1,
  c1.c2,
]

function writeFp12(slot: number, value: Fp12Element): void {
  for (const [i, c] of coefficients(value).entries()) writeFp2(slot + i, c)
}

function expectFp12(slot: number, value: Fp12Element): void {
  for (const [i, c] of coefficients(value).entries()) expect(readFp2(slot + i)).toEqual(c)
}

const run = (name: string, ...slots: number[]): number =>
  (module.exports[name] as (...values: number[]) => number)(...slots.map((slot) => at + SLOT(slot)))

const random = makeRandomBigint(381)
const randomFp = (): bigint => Fp.create((random() << 200n) ^ random())
const randomFp2 = (): Fp2Element => Fp2.fromBigTuple([randomFp(), randomFp()])
const randomFp12 = (): Fp12Element =>
  Fp12.fromBigTwelve(Array.from({ length: 12 }, randomFp) as BigintTwelve)

const EDGES = [0n, 1n, 2n, Fp.ORDER - 1n, Fp.ORDER - 2n, (1n << 380n) - 1n, 1n << 27n]
const VALUES = [...EDGES, ...Array.from({ length: 40 }, randomFp)]

describe('arithmetic in Fp', () => {
  test('multiplies and squares correctly', () => {
    for (const a of VALUES) {
      for (const b of VALUES.slice(0, 12)) {
        writeFp(SLOT(0), a, 1n)
        writeFp(SLOT(1), b, -3n)
        run('multiplyFp', 2, 0, 1)
        expect(readFp(SLOT(2))).toBe(Fp.mul(a, b))
      }
      run('squareFp', 2, 0)
      expect(readFp(SLOT(2))).toBe(Fp.sqr(a))
    }
  })

  test('multiplies correctly at the bound of its operands', () => {
    // Products of 32 halves.
    for (const [x, y] of [
      [4, 8],
      [-4, 8],
      [-4, -8],
    ] as const) {
      fillHalf(SLOT(0), x)
      fillHalf(SLOT(1), y)
      run('multiplyFp', 2, 0, 1)
      expect(readFp(SLOT(2))).toBe(Fp.mul(readFp(SLOT(0)), readFp(SLOT(1))))
    }
  })

  test('inverts, and finds square roots', () => {
    for (const a of VALUES.filter((value) => value !== 0n)) {
      writeFp(SLOT(0), a, 2n)
      run('invertFp', 1, 0)
      expect(readFp(SLOT(1))).toBe(Fp.inv(a))
      const isSquare = run('rootFp', 1, 0) !== 0
      expect(isSquare).toBe(Fp.pow(a, (Fp.ORDER - 1n) / 2n) === 1n)
      expect(Fp.sqr(readFp(SLOT(1)))).toBe(isSquare ? a : Fp.neg(a))
    }
  })

  test('recognizes zero in every representation', () => {
    for (const primes of [-3n, -1n, 0n, 1n, 3n]) {
      writeFp(SLOT(0), 0n, primes)
      expect(run('isZeroFp', 0)).toBe(1)
      writeFp(SLOT(0), 1n, primes)
      expect(run('isZeroFp', 0)).toBe(0)
    }
  })
})

describe('arithmetic in Fp2', () => {
  test('multiplies, squares, inverts and reduces correctly', () => {
    for (let i = 0; i < 60; i++) {
      const a = i < 7 ? Fp2.fromBigTuple([EDGES[i] as bigint, EDGES[6 - i] as bigint]) : randomFp2()
      const b = randomFp2()
      writeFp2(0, a, 1n)
      writeFp2(1, b, -2n)
      run('multiplyFp2', 2, 0, 1)
      expect(readFp2(2)).toEqual(Fp2.mul(a, b))
      run('squareFp2', 2, 0)
      expect(readFp2(2)).toEqual(Fp2.sqr(a))
      run('multiplyLanes', 2, 0, 1)
      expect(readFp2(2)).toEqual(Fp2.fromBigTuple([Fp.mul(a.c0, b.c0), Fp.mul(a.c1, b.c1)]))
      run('timesXi', 2, 0)
      expect(readFp2(2)).toEqual(Fp2.mulByNonresidue(a))
      run('thrice', 2, 0)
      run('reduce', 2, 2)
      expect(readFp2(2)).toEqual(Fp2.mul(a, 3n))
      if (Fp2.is0(a)) continue
      run('invertFp2', 2, 0)
      expect(readFp2(2)).toEqual(Fp2.inv(a))
    }
  })

  test('multiplies correctly at the bound of its operands', () => {
    for (const signs of [
      [1, 1, 1, 1],
      [1, -1, 1, 1],
      [-1, -1, 1, 1],
      [1, -1, 1, -1],
    ] as const) {
      fillHalf(SLOT(0), 4 * signs[0])
      fillHalf(SLOT(0) + 4, 4 * signs[1])
      fillHalf(SLOT(1), 4 * signs[2])
      fillHalf(SLOT(1) + 4, 4 * signs[3])
      run('multiplyFp2', 2, 0, 1)
      expect(readFp2(2)).toEqual(Fp2.mul(readFp2(0), readFp2(1)))
    }
  })

  test('finds square roots if they exist', () => {
    const inputs = [
      ...EDGES.flatMap((value) => [
        Fp2.fromBigTuple([value, 0n]),
        Fp2.fromBigTuple([0n, value]),
        Fp2.fromBigTuple([Fp.neg(value), 0n]),
      ]),
      ...Array.from({ length: 10 }, randomFp2),
      ...Array.from({ length: 10 }, () => Fp2.sqr(randomFp2())),
    ]
    for (const a of inputs) {
      writeFp2(0, a)
      const norm = Fp.add(Fp.sqr(a.c0), Fp.sqr(a.c1))
      const isSquare = norm === 0n || Fp.pow(norm, (Fp.ORDER - 1n) / 2n) === 1n
      expect(run('rootFp2', 1, 0) !== 0).toBe(isSquare)
      if (isSquare) expect(Fp2.sqr(readFp2(1))).toEqual(a)
    }
  })
})

describe('arithmetic in Fp12', () => {
  test('multiplies, squares and inverts correctly', () => {
    for (let i = 0; i < 10; i++) {
      const a = randomFp12()
      const b = randomFp12()
      writeFp12(0, a)
      writeFp12(6, b)
      run('multiplyFp12', 12, 0, 6)
      expectFp12(12, Fp12.mul(a, b))
      run('squareFp12', 12, 0)
      expectFp12(12, Fp12.sqr(a))
      run('invertFp12', 12, 0)
      expectFp12(12, Fp12.inv(a))
      run('applyFrobenius', 12, 0)
      expectFp12(12, Fp12.frobeniusMap(a, 1))
      run('applyFrobeniusSquared', 12, 0)
      expectFp12(12, Fp12.frobeniusMap(a, 2))
      run('multiplyFp12', 0, 0, 0)
      expectFp12(0, Fp12.sqr(a))
    }
  })

  test('multiplies by lines and squares in the cyclotomic subgroup', () => {
    for (let i = 0; i < 10; i++) {
      const a = randomFp12()
      const [l0, l1, l2] = [randomFp2(), randomFp2(), randomFp2()]
      writeFp12(0, a)
      writeFp2(6, l0)
      writeFp2(7, l1)
      writeFp2(8, l2)
      run('multiplyByLine', 0, 6, 7, 8)
      const line = [l0.c0, l0.c1, l1.c0, l1.c1, 0n, 0n, 0n, 0n, l2.c0, l2.c1, 0n, 0n]
      expectFp12(0, Fp12.mul(a, Fp12.fromBigTwelve(line as BigintTwelve)))

      const unitary = Fp12.div(Fp12.conjugate(a), a)
      const cyclotomic = Fp12.mul(Fp12.frobeniusMap(unitary, 2), unitary)
      writeFp12(0, cyclotomic)
      run('squareCyclotomic', 0)
      expectFp12(0, Fp12.sqr(cyclotomic))
    }
  })

  test('recognizes one', () => {
    run('setOne', 0)
    expect(run('isOne', 0)).toBe(1)
    writeFp2(5, Fp2.ONE)
    expect(run('isOne', 0)).toBe(0)
  })
})
