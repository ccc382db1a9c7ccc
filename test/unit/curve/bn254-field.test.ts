import { bn254 } from '@noble/curves/bn254.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { compileAssembly } from '../../support/engine/assembly.ts'
import { makeRandomBigint } from './curve-module.ts'

const SOURCE = `
export {
  add, addLoose, conjugate, multiply, multiplyByXi, negate, quadruple, scale, sixPlusTwice, square,
  subtract, subtractBoth, sumMinusTwice, sumOfThree, sumOfTwo, thrice, thriceMinusTwice,
  twiceMinus,
} from './assembly/curve/generated/bn254-fp2'
export {
  add as fpAdd, multiply as fpMultiply, negate as fpNegate, quadruple as fpQuadruple,
  square as fpSquare, subtract as fpSubtract, subtractEight as fpSubtractEight,
  subtractTwice as fpSubtractTwice, thrice as fpThrice, twice as fpTwice,
} from './assembly/curve/generated/bn254-fp'
export { inverse, isZero } from './assembly/curve/bn254/fp2'
export const BUFFER: usize = memory.data(8192, 16)
`

const { Fp, Fp2 } = bn254.fields
const PRIME = Fp.ORDER
const RADIX = 1n << 261n
const MASK = (1n << 29n) - 1n
/** The top limb of twice the prime. */
const TOP = (2n * PRIME) >> 232n

/** Bytes of an element of Fp, and of Fp2. */
const SINGLE = 40
const PAIR = 80

type Limbs = readonly bigint[]
type Element = readonly [re: Limbs, im: Limbs]
type Value = readonly [re: bigint, im: bigint]

let exports: Record<string, (...values: number[]) => number>
let words: Uint32Array
let buffer: number

beforeAll(async () => {
  const instance = new WebAssembly.Instance(await compileAssembly(SOURCE))
  exports = instance.exports as typeof exports
  const { memory, BUFFER } = instance.exports as unknown as {
    memory: WebAssembly.Memory
    BUFFER: WebAssembly.Global
  }
  words = new Uint32Array(memory.buffer)
  buffer = BUFFER.value
})

const random = makeRandomBigint(29)
const toLimbs = (value: bigint): Limbs =>
  Array.from({ length: 9 }, (_, i) => (i < 8 ? (value >> BigInt(29 * i)) & MASK : value >> 232n))
const toNumber = (limbs: Limbs): bigint =>
  limbs.reduce((sum, limb, i) => sum + (limb << BigInt(29 * i)), 0n)
const reduce = (value: bigint): bigint => Fp.create(value)
const values = ([re, im]: Element): Value => [toNumber(re), toNumber(im)]

/** The largest limbs of a tight and of a loose operand. */
const LARGEST: Limbs = [...Array.from({ length: 8 }, () => MASK), TOP]
const LARGEST_LOOSE: Limbs = [...Array.from({ length: 8 }, () => MASK + 1n), 2n * TOP + 1n]
const EDGES: readonly Limbs[] = [
  LARGEST,
  toLimbs(0n),
  toLimbs(1n),
  toLimbs(PRIME - 1n),
  toLimbs(PRIME),
]

/** Yields every pair of edge values, and random elements. */
function* elements(isLoose: boolean): Generator<Element> {
  const edges = isLoose ? [LARGEST_LOOSE, ...EDGES] : EDGES
  for (const re of edges) for (const im of edges) yield [re, im]
  for (let i = 0; i < 6; i++) {
    yield [toLimbs(random() % (2n * PRIME)), toLimbs(random() % (2n * PRIME))]
  }
}

function writePair(address: number, [re, im]: Element): void {
  for (let i = 0; i < 9; i++) {
    words[address / 4 + 2 * i] = Number(re[i])
    words[address / 4 + 2 * i + 1] = Number(im[i])
  }
}

function readPair(address: number): Element {
  const part = (offset: number): Limbs =>
    Array.from({ length: 9 }, (_, i) => BigInt(words[address / 4 + 2 * i + offset] as number))
  const unused = [words[address / 4 + 18], words[address / 4 + 19]]
  if (unused.some((word) => word !== 0)) expect(unused).toEqual([0, 0])
  return [part(0), part(1)]
}

/** A matcher for each limb would take most of the time, so that it runs only for a failure. */
function expectTight(limbs: Limbs): void {
  const isTight = limbs.every((limb, i) => limb <= (LARGEST[i] as bigint))
  if (!isTight) expect(limbs, 'limbs within their bounds').toEqual(LARGEST)
}

function call(name: string, ...addresses: number[]): number {
  const operation = exports[name]
  if (operation === undefined) throw new Error(`no ${name}`)
  return operation(...addresses)
}

/** Calls an operation of Fp2. Its output overlaps the last operand. */
function run(name: string, ...operands: Element[]): Value {
  operands.forEach((operand, i) => {
    writePair(buffer + PAIR * i, operand)
  })
  const addresses = operands.map((_, i) => buffer + PAIR * i)
  const out = addresses.at(-1) as number
  call(name, out, ...addresses)
  const result = readPair(out)
  if (name !== 'addLoose') for (const part of result) expectTight(part)
  return [reduce(toNumber(result[0])), reduce(toNumber(result[1]))]
}

const multiply = (a: Value, b: Value): Value => [
  a[0] * b[0] - a[1] * b[1],
  a[0] * b[1] + a[1] * b[0],
]
const sum = (...terms: (readonly [bigint, Value])[]): Value => [
  reduce(terms.reduce((total, [factor, value]) => total + factor * value[0], 0n)),
  reduce(terms.reduce((total, [factor, value]) => total + factor * value[1], 0n)),
]
const RADIX_INVERSE = Fp.inv(RADIX)
const fromMontgomery = (value: Value): Value => [
  reduce(value[0] * RADIX_INVERSE),
  reduce(value[1] * RADIX_INVERSE),
]

describe('arithmetic in Fp2', () => {
  test('multiplies operands up to the bounds', () => {
    for (const a of elements(true)) {
      for (const b of elements(true)) {
        const [x, y] = [values(a), values(b)]
        const product = multiply(x, y)
        expect(run('multiply', a, b)).toEqual(fromMontgomery(product))
        expect(run('sumOfTwo', a, b, b, a)).toEqual(fromMontgomery(sum([2n, product])))
        expect(run('sumOfThree', a, a, b, b, a, b)).toEqual(
          fromMontgomery(sum([1n, multiply(x, x)], [1n, multiply(y, y)], [1n, product])),
        )
        expect(run('sumOfThree', a, b, a, b, a, b)).toEqual(fromMontgomery(sum([3n, product])))
      }
      expect(run('square', a)).toEqual(fromMontgomery(multiply(values(a), values(a))))
    }
  })

  test('multiplies by elements of Fp', () => {
    const single = buffer + 4096
    for (const a of elements(true)) {
      for (const s of EDGES) {
        writePair(buffer, a)
        s.forEach((limb, i) => {
          words[single / 4 + i] = Number(limb)
        })
        call('scale', buffer, buffer, single)
        const result = readPair(buffer)
        result.forEach(expectTight)
        const expected = fromMontgomery(multiply(values(a), [toNumber(s), 0n]))
        expect(values(result).map(reduce)).toEqual(expected)
      }
    }
  })

  test('adds and subtracts operands up to the bounds', () => {
    for (const a of elements(false)) {
      const x = values(a)
      expect(run('negate', a)).toEqual(sum([-1n, x]))
      expect(run('thrice', a)).toEqual(sum([3n, x]))
      expect(run('quadruple', a)).toEqual(sum([4n, x]))
      expect(run('conjugate', a)).toEqual(sum([1n, [x[0], -x[1]]]))
      for (const b of elements(false)) {
        const y = values(b)
        expect(run('addLoose', a, b)).toEqual(sum([1n, x], [1n, y]))
        expect(run('add', a, b)).toEqual(sum([1n, x], [1n, y]))
        expect(run('subtract', a, b)).toEqual(sum([1n, x], [-1n, y]))
        expect(run('twiceMinus', a, b)).toEqual(sum([2n, x], [-1n, y]))
        expect(run('sixPlusTwice', a, b)).toEqual(sum([6n, x], [2n, y]))
        expect(run('subtractBoth', a, b, b)).toEqual(sum([1n, x], [-2n, y]))
        expect(run('subtractBoth', b, a, b)).toEqual(sum([-1n, x]))
        expect(run('sumMinusTwice', a, b, b)).toEqual(sum([1n, x], [-1n, y]))
        expect(run('sumMinusTwice', b, b, a)).toEqual(sum([2n, y], [-2n, x]))
      }
    }
    for (const a of elements(true)) {
      const x = values(a)
      expect(run('multiplyByXi', a)).toEqual(sum([1n, multiply([9n, 1n], x)]))
      for (const b of elements(false)) {
        expect(run('thriceMinusTwice', a, b)).toEqual(sum([3n, x], [-2n, values(b)]))
      }
    }
  })

  test('keeps unreduced sums within their bound', () => {
    for (const a of elements(false)) {
      for (const b of elements(false)) {
        writePair(buffer, a)
        writePair(buffer + PAIR, b)
        call('addLoose', buffer, buffer, buffer + PAIR)
        for (const part of readPair(buffer)) {
          part.forEach((limb, i) => {
            expect(limb <= (LARGEST_LOOSE[i] as bigint)).toBe(true)
          })
        }
      }
    }
  })

  test('inverts correctly', () => {
    for (const a of elements(false)) {
      const [re, im] = values(a).map(reduce) as [bigint, bigint]
      writePair(buffer, a)
      if (re === 0n && im === 0n) {
        expect(call('isZero', buffer)).toBe(1)
        continue
      }
      expect(call('isZero', buffer)).toBe(0)
      call('inverse', buffer, buffer)
      const inverse = Fp2.inv(Fp2.fromBigTuple([re, im]))
      const factor = RADIX * RADIX
      expect(values(readPair(buffer)).map(reduce)).toEqual(
        [inverse.c0, inverse.c1].map((part) => reduce(part * factor)),
      )
    }
  })
})

describe('arithmetic in Fp', () => {
  const run = (name: string, ...operands: Limbs[]): bigint => {
    operands.forEach((operand, index) => {
      operand.forEach((limb, i) => {
        words[(buffer + SINGLE * index) / 4 + i] = Number(limb)
      })
    })
    const addresses = operands.map((_, i) => buffer + SINGLE * i)
    const out = addresses.at(-1) as number
    call(name, out, ...addresses)
    const result = Array.from({ length: 9 }, (_, i) => BigInt(words[out / 4 + i] as number))
    expectTight(result)
    return reduce(toNumber(result))
  }

  test('is correct for operands up to the bounds', () => {
    const list = [...EDGES, ...Array.from({ length: 20 }, () => toLimbs(random() % (2n * PRIME)))]
    for (const a of list) {
      const x = toNumber(a)
      expect(run('fpSquare', a)).toBe(reduce(x * x * Fp.inv(RADIX)))
      expect(run('fpNegate', a)).toBe(reduce(-x))
      expect(run('fpTwice', a)).toBe(reduce(2n * x))
      expect(run('fpThrice', a)).toBe(reduce(3n * x))
      expect(run('fpQuadruple', a)).toBe(reduce(4n * x))
      for (const b of list) {
        const y = toNumber(b)
        expect(run('fpMultiply', a, b)).toBe(reduce(x * y * Fp.inv(RADIX)))
        expect(run('fpAdd', a, b)).toBe(reduce(x + y))
        expect(run('fpSubtract', a, b)).toBe(reduce(x - y))
        expect(run('fpSubtractTwice', a, b)).toBe(reduce(x - 2n * y))
        expect(run('fpSubtractEight', a, b)).toBe(reduce(x - 8n * y))
      }
    }
  })
})
