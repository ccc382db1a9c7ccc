import { bls12_381 } from '@noble/curves/bls12-381.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { bigintToBytes, concatBytes } from '../../../host/base/bytes.ts'
import { formatData } from '../../../host/base/hex.ts'
import { Pairing } from '../../../host/evm/engine/pairing.ts'
import { readModule } from '../../../host/node/wasm.ts'
import { bySet } from '../../support/run/by-set.ts'
import { makeRandomBigint } from './curve-module.ts'
import {
  addG1,
  addG2,
  mapToG1,
  mapToG2,
  multiplyG1,
  multiplyG2,
  pairBls12381,
} from './noble-bls12-381.ts'
import { type MclPrecompile, openMclBls12381 } from './oracles/mcl-bls12-381.ts'
import { evaluatePoint, TAU_G2 } from './oracles/noble-point-evaluation.ts'

const { G1, G2, fields } = bls12_381
const { Fp, Fp2, Fr } = fields
type G1Point = typeof G1.Point.BASE
type G2Point = typeof G2.Point.BASE

const PARAMETER = 0xd201000000010000n

const NOBLE: ReadonlyMap<number, MclPrecompile> = new Map([
  [0x0a, evaluatePoint],
  [0x0b, addG1],
  [0x0c, multiplyG1],
  [0x0d, addG2],
  [0x0e, multiplyG2],
  [0x0f, pairBls12381],
  [0x10, mapToG1],
  [0x11, mapToG2],
])

const pairing = new Pairing(new WebAssembly.Module(await readModule('pairing')))
let mcl: ReadonlyMap<number, MclPrecompile>

beforeAll(async () => {
  mcl = await openMclBls12381(Buffer.from(TAU_G2, 'hex'))
})

const show = (output: Uint8Array | undefined): string =>
  output === undefined ? 'fails' : formatData(output)

/**
 * noble takes ten times as long as mcl. The fast set checks only the first of this many answers of a precompile with
 * it.
 */
const NOBLE_EVERY = bySet(3, 1)
const answers = new Map<number, number>()

/** Returns our output after both oracles returned the same. */
function check(id: number, ...parts: Uint8Array[]): string {
  const input = concatBytes(parts)
  const ours = show(pairing.call(bigintToBytes(BigInt(id), 20), input))
  const count = answers.get(id) ?? 0
  answers.set(id, count + 1)
  if (count % NOBLE_EVERY === 0) expect(ours, 'noble').toBe(show(NOBLE.get(id)?.(input)))
  expect(ours, 'mcl').toBe(show(mcl.get(id)?.(input)))
  return ours
}

const word = (value: bigint | number): Uint8Array => bigintToBytes(BigInt(value), 32)
const element = (value: bigint): Uint8Array => bigintToBytes(value, 64)
const zeros = (length: number): Uint8Array => new Uint8Array(length)
const ONE = formatData(word(1))
const NONE = formatData(word(0))

function first(point: G1Point): Uint8Array {
  if (point.is0()) return zeros(128)
  const { x, y } = point.toAffine()
  return concatBytes([element(x), element(y)])
}

function second(point: G2Point): Uint8Array {
  if (point.is0()) return zeros(256)
  const { x, y } = point.toAffine()
  return concatBytes([element(x.c0), element(x.c1), element(y.c0), element(y.c1)])
}

const random = makeRandomBigint(2537)
const randomScalar = (): bigint => (random() % (Fr.ORDER - 1n)) + 1n
const randomFp = (): bigint => Fp.create((random() << 200n) ^ random())

/** Points at a random distance from each other, since an addition takes a hundredth of a multiplication. */
let lastG1 = G1.Point.BASE.multiplyUnsafe(randomScalar())
let lastG2 = G2.Point.BASE.multiplyUnsafe(randomScalar())
const stepG1 = G1.Point.BASE.multiplyUnsafe(randomScalar())
const stepG2 = G2.Point.BASE.multiplyUnsafe(randomScalar())
function randomG1(): G1Point {
  lastG1 = lastG1.add(stepG1)
  return lastG1
}
function randomG2(): G2Point {
  lastG2 = lastG2.add(stepG2)
  return lastG2
}

/** Returns a point of the curve outside the subgroup. */
function outsideG1(): G1Point {
  for (let x = randomFp(); ; x = Fp.add(x, 1n)) {
    try {
      return G1.Point.fromAffine({ x, y: Fp.sqrt(Fp.add(Fp.mul(Fp.sqr(x), x), 4n)) })
    } catch {}
  }
}

function outsideG2(): G2Point {
  for (let c0 = randomFp(); ; c0 = Fp.add(c0, 1n)) {
    const x = Fp2.fromBigTuple([c0, 1n])
    try {
      return G2.Point.fromAffine({
        x,
        y: Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2.Point.CURVE().b)),
      })
    } catch {}
  }
}

describe('point addition on BLS12-381', () => {
  test('agrees with both oracles inside and outside the subgroups', () => {
    for (let i = 0; i < 20; i++) {
      const [a, b] = i % 2 === 0 ? [randomG1(), randomG1()] : [outsideG1(), outsideG1()]
      check(0x0b, first(a), first(b))
      const [c, d] = i % 2 === 0 ? [randomG2(), randomG2()] : [outsideG2(), outsideG2()]
      check(0x0d, second(c), second(d))
    }
  })

  test('doubles, cancels and handles infinity', () => {
    const a = randomG1()
    const b = randomG2()
    for (const other of [a, a.negate(), G1.Point.ZERO]) {
      check(0x0b, first(a), first(other))
      check(0x0b, first(other), first(a))
    }
    for (const other of [b, b.negate(), G2.Point.ZERO]) {
      check(0x0d, second(b), second(other))
      check(0x0d, second(other), second(b))
    }
    check(0x0b, zeros(128), zeros(128))
    check(0x0d, zeros(256), zeros(256))
  })

  test('refuses invalid points', () => {
    const a = first(randomG1())
    for (const position of [0, 15, 16, 64, 100, 127]) {
      const wrong = a.slice()
      wrong[position] = (wrong[position] as number) ^ 1
      expect(check(0x0b, wrong, a)).toBe('fails')
      expect(check(0x0b, a, wrong)).toBe('fails')
    }
    const b = second(randomG2())
    for (const position of [0, 16, 127, 128, 191, 255]) {
      const wrong = b.slice()
      wrong[position] = (wrong[position] as number) ^ 1
      expect(check(0x0d, b, wrong)).toBe('fails')
    }
    expect(check(0x0b, a, element(Fp.ORDER), element(0n))).toBe('fails')
    expect(check(0x0b, a, element((1n << 384n) - 1n), element(0n))).toBe('fails')
  })
})

describe('multi-scalar multiplication on BLS12-381', () => {
  const EDGES = [
    0n, 1n, 2n, 3n, 15n, 16n, 31n, PARAMETER, PARAMETER - 1n, PARAMETER + 1n,
    PARAMETER ** 2n, PARAMETER ** 2n - 1n, PARAMETER ** 3n, PARAMETER ** 3n + 1n,
    (Fr.ORDER - 1n) / 2n, Fr.ORDER - 2n, Fr.ORDER - 1n, Fr.ORDER, Fr.ORDER + 1n,
    2n * Fr.ORDER, 2n * Fr.ORDER + 1n, (1n << 255n) - 1n, 1n << 255n, (1n << 256n) - 1n,
  ] // biome-ignore format: a line a family

  test('agrees with both oracles on edge-case scalars', () => {
    for (const scalar of EDGES) {
      check(0x0c, first(randomG1()), word(scalar))
      check(0x0e, second(randomG2()), word(scalar))
    }
  })

  test.each([1, 2, 5, 31, 32, 33, 65])('agrees with both oracles on %i pairs', (count) => {
    const inG1: Uint8Array[] = []
    const inG2: Uint8Array[] = []
    for (let i = 0; i < count; i++) {
      const isZero = i % 7 === 3
      const scalar = word(i % 5 === 4 ? 0n : BigInt.asUintN(256, random()))
      inG1.push(isZero ? zeros(128) : first(randomG1()), scalar)
      inG2.push(isZero ? zeros(256) : second(randomG2()), scalar)
    }
    check(0x0c, ...inG1)
    check(0x0e, ...inG2)
  })

  test('cancels opposite and adds equal points', () => {
    const a = randomG1()
    const b = randomG2()
    const scalar = randomScalar()
    check(0x0c, first(a), word(scalar), first(a.negate()), word(scalar))
    check(0x0c, first(a), word(scalar), first(a), word(Fr.ORDER - scalar))
    check(0x0c, first(a), word(scalar), first(a), word(scalar), first(a), word(1))
    check(0x0e, second(b), word(scalar), second(b.negate()), word(scalar))
    check(0x0e, second(b), word(scalar), second(b), word(Fr.ORDER - scalar))
    check(0x0e, second(b), word(scalar), second(b), word(scalar), second(b), word(1))
    // Multiples by the endomorphisms' own scalars meet in the middle of the chain.
    check(0x0c, first(a), word(PARAMETER ** 2n + 1n), first(a), word(Fr.ORDER - PARAMETER ** 2n))
    check(0x0e, second(b), word(PARAMETER + 1n), second(b), word(Fr.ORDER - PARAMETER))
  })

  test('refuses a point outside the subgroup at any position', () => {
    for (let i = 0; i < 4; i++) {
      const a = first(outsideG1())
      const b = second(outsideG2())
      expect(check(0x0c, a, word(i))).toBe('fails')
      expect(check(0x0c, first(randomG1()), word(1), a, word(1))).toBe('fails')
      expect(check(0x0e, b, word(i))).toBe('fails')
      expect(check(0x0e, second(randomG2()), word(1), b, word(1))).toBe('fails')
    }
    // Points of order three.
    expect(check(0x0c, element(0n), element(2n), word(3))).toBe('fails')
    expect(check(0x0c, element(0n), element(Fp.ORDER - 2n), word(0))).toBe('fails')
  })
})

/** Multiplies by any scalar, since noble accepts only those below the order. */
function multiplyByAny<T extends G1Point | G2Point>(point: T, scalar: bigint): T {
  const plain = point as G1Point
  return [...scalar.toString(2)]
    .slice(1)
    .reduce((sum, bit) => (bit === '1' ? sum.double().add(plain) : sum.double()), plain) as T
}

/** Returns a point of this prime order on a curve of `count` points. */
function ofOrder<T extends G1Point | G2Point>(order: bigint, count: bigint, take: () => T): T {
  let rest = count
  while (rest % order === 0n) rest /= order
  let point = multiplyByAny(take(), rest)
  while (point.is0()) point = multiplyByAny(take(), rest)
  for (;;) {
    const next = multiplyByAny(point, order)
    if (next.is0()) return point
    point = next
  }
}

describe('points of small order', () => {
  // The smallest factors of the cofactors. A chain of doublings and additions meets infinity on such a point.
  test.each([3n, 11n, 10177n])('are refused in G1: order %i', (order) => {
    const point = ofOrder(order, G1.Point.CURVE().h * Fr.ORDER, outsideG1)
    check(0x0b, first(point), first(point))
    expect(check(0x0c, first(point), word(order))).toBe('fails')
    expect(check(0x0f, first(point), second(randomG2()))).toBe('fails')
    expect(check(0x0f, first(point), zeros(256))).toBe('fails')
  })

  test.each([13n, 23n, 2713n])('are refused in G2: order %i', (order) => {
    const point = ofOrder(order, G2.Point.CURVE().h * Fr.ORDER, outsideG2)
    check(0x0d, second(point), second(point))
    expect(check(0x0e, second(point), word(order))).toBe('fails')
    expect(check(0x0f, first(randomG1()), second(point))).toBe('fails')
    expect(check(0x0f, zeros(128), second(point))).toBe('fails')
  })
})

describe('the pairing check', () => {
  test('is bilinear', () => {
    for (let i = 0; i < 4; i++) {
      const a = randomScalar()
      const b = randomScalar()
      const p = randomG1()
      const q = randomG2()
      const left = concatBytes([first(p.multiply(a)), second(q.multiply(b))])
      const right = concatBytes([first(p.negate().multiply((a * b) % Fr.ORDER)), second(q)])
      expect(check(0x0f, left, right)).toBe(ONE)
      expect(check(0x0f, left, first(p.negate()), second(q))).toBe(NONE)
    }
  })

  // The implementation pairs 32 at a time.
  test.each(bySet([1, 33], [1, 3, 31, 32, 33, 65]))('accepts %i pairs that cancel', (count) => {
    const parts: Uint8Array[] = []
    let total = 0n
    for (let i = 0; i < count - 1; i++) {
      const [a, b] = [randomScalar(), randomScalar()]
      total += a * b
      parts.push(first(G1.Point.BASE.multiply(a)), second(G2.Point.BASE.multiply(b)))
    }
    const rest = Fr.create(-total)
    parts.push(first(G1.Point.BASE.multiplyUnsafe(rest)), second(G2.Point.BASE))
    expect(check(0x0f, ...parts)).toBe(ONE)
    parts[0] = first(G1.Point.BASE.multiply(randomScalar()))
    expect(check(0x0f, ...parts)).toBe(NONE)
  })

  test('handles infinity in either place and checks the other point', () => {
    expect(check(0x0f, zeros(128), second(randomG2()))).toBe(ONE)
    expect(check(0x0f, first(randomG1()), zeros(256))).toBe(ONE)
    expect(check(0x0f, zeros(384), zeros(384))).toBe(ONE)
    expect(check(0x0f, zeros(128), second(outsideG2()))).toBe('fails')
    expect(check(0x0f, first(outsideG1()), zeros(256))).toBe('fails')
    expect(check(0x0f, first(randomG1()), second(randomG2()))).toBe(NONE)
    expect(check(0x0f, zeros(383))).toBe('fails')
    expect(check(0x0f)).toBe('fails')
  })
})

describe('the maps to curve points', () => {
  test('agree with both oracles', () => {
    const values = [
      0n,
      1n,
      2n,
      Fp.ORDER - 1n,
      Fp.ORDER - 2n,
      ...Array.from({ length: 20 }, randomFp),
    ]
    for (const [i, value] of values.entries()) {
      check(0x10, element(value))
      check(0x11, element(value), element(values[values.length - 1 - i] as bigint))
      check(0x11, element(value), element(0n))
      check(0x11, element(0n), element(value))
    }
  })

  test('agree at the exceptional inputs of the map', () => {
    // Z^2 u^4 + Z u^2 = 0 besides u = 0: u^2 = -1 / Z, which has no root in Fp2.
    const u = Fp.sqrt(Fp.neg(Fp.inv(11n)))
    check(0x10, element(u))
    check(0x10, element(Fp.neg(u)))
  })

  test('refuse values that are not field elements', () => {
    expect(check(0x10, element(Fp.ORDER))).toBe('fails')
    expect(check(0x10, element(1n << 400n))).toBe('fails')
    expect(check(0x11, element(0n), element(Fp.ORDER))).toBe('fails')
    expect(check(0x11, element(Fp.ORDER), element(0n))).toBe('fails')
  })
})

describe('point evaluation', () => {
  /** Returns the proof of a linear polynomial c + d x, whose commitment needs [tau] G1; d = 0 for a constant. */
  const makeInput = (z: bigint, y: bigint, commitment: Uint8Array, proof: Uint8Array) => {
    const hash = sha256(commitment)
    hash[0] = 1
    return concatBytes([hash, word(z), word(y), commitment, proof])
  }
  const infinity = G1.Point.ZERO.toBytes()
  const constant = (y: bigint): Uint8Array => G1.Point.BASE.multiplyUnsafe(y).toBytes()

  test('agrees with both oracles', () => {
    for (let i = 0; i < 4; i++) {
      const y = randomScalar()
      const z = randomScalar()
      expect(check(0x0a, makeInput(z, y, constant(y), infinity))).not.toBe('fails')
      expect(check(0x0a, makeInput(z, y, constant(y + 1n), infinity))).toBe('fails')
      expect(check(0x0a, makeInput(z, y, constant(y), constant(z)))).toBe('fails')
    }
    expect(check(0x0a, makeInput(5n, 0n, infinity, infinity))).not.toBe('fails')
  })

  test('refuses invalid encodings and points', () => {
    const y = randomScalar()
    const good = constant(y)
    const flagged = (flags: number, bytes = good): Uint8Array => {
      const changed = bytes.slice()
      changed[0] = ((changed[0] as number) & 0x1f) | flags
      return changed
    }
    const outside = flagged(0x80, bigintToBytes(outsideG1().toAffine().x, 48))
    const wrong = [
      flagged(0x00), flagged(0x20), flagged(0x40), flagged(0xc0), flagged(0xe0),
      flagged(0xe0, infinity), flagged(0x40, infinity), flagged(0x80, infinity), outside,
      flagged(0x80, bigintToBytes(Fp.ORDER, 48)),
    ] // biome-ignore format: encodings
    for (const bytes of wrong) {
      expect(check(0x0a, makeInput(1n, y, bytes, infinity))).toBe('fails')
      expect(check(0x0a, makeInput(1n, y, good, bytes))).toBe('fails')
    }
    expect(check(0x0a, makeInput(1n, y + Fr.ORDER, good, infinity))).toBe('fails')
    expect(check(0x0a, makeInput(Fr.ORDER, y, good, infinity))).toBe('fails')
  })
})
