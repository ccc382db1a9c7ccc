import { beforeAll, describe, expect, test } from 'vitest'
import { bigintToBytes, bytesToBigint } from '../../../host/base/bytes.ts'
import { compileAssembly } from '../../support/engine/assembly.ts'
import { makeRandom, runSeed } from '../../support/random.ts'

const SOURCE = `
export { addModulo, divide, modulo } from './assembly/u256/divide'
export { multiplyModulo } from './assembly/u256/modulus'
export const WORDS: usize = memory.data(256, 16)
`
/** Memory of engine.wasm, which contains the scratch area (assembly/layout.ts). */
const MEMORY = ['--initialMemory', '4672']

const SEED = runSeed()
const MAX = (1n << 256n) - 1n
const BN254_P = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n
const BN254_R = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n
const SECP256K1_P = MAX - 0x1000003d0n
const FLOOR = 1n << 232n

type Operation = 'addModulo' | 'multiplyModulo' | 'modulo' | 'divide'

let exports: Record<Operation, (...addresses: number[]) => void>
let bytes: Uint8Array
let words: number

beforeAll(async () => {
  const instance = new WebAssembly.Instance(await compileAssembly(SOURCE, MEMORY))
  exports = instance.exports as typeof exports
  const { memory, WORDS } = instance.exports as unknown as {
    memory: WebAssembly.Memory
    WORDS: WebAssembly.Global
  }
  bytes = new Uint8Array(memory.buffer)
  words = WORDS.value
})

/** Runs an operation. The result overwrites the last operand, as in the interpreter. */
function run(operation: Operation, ...operands: bigint[]): bigint {
  const at = operands.map((value, i) => {
    bytes.set(bigintToBytes(value, 32).toReversed(), words + 32 * i)
    return words + 32 * i
  })
  const out = at.at(-1) as number
  exports[operation](out, ...at)
  return bytesToBigint(bytes.slice(out, out + 32).toReversed())
}

function expected(operation: Operation, [a, b, n = 0n]: readonly bigint[]): bigint {
  const [left, right] = [a as bigint, b as bigint]
  switch (operation) {
    case 'addModulo':
      return n === 0n ? 0n : (left + right) % n
    case 'multiplyModulo':
      return n === 0n ? 0n : (left * right) % n
    case 'modulo':
      return right === 0n ? 0n : left % right
    case 'divide':
      return right === 0n ? 0n : left / right
  }
}

function check(operation: Operation, ...operands: bigint[]): void {
  const result = run(operation, ...operands)
  if (result === expected(operation, operands)) return
  expect.fail(`${operation}(${operands.map((one) => `0x${one.toString(16)}`)}) gave ${result}`)
}

const random = makeRandom(SEED)

/** Returns a word, often near a power of two or with runs of equal bits. */
function anyWord(): bigint {
  let value = 0n
  for (let i = 0; i < 8; i++) {
    const kind = random()
    const digit =
      kind < 0.15 ? 0n : kind < 0.3 ? 0xffffffffn : BigInt(Math.floor(random() * 2 ** 32))
    value = (value << 32n) | digit
  }
  const bits = random() < 0.5 ? 256 : 1 + Math.floor(random() * 256)
  return value >> BigInt(256 - bits)
}

const MODULI: readonly bigint[] = [
  ...[BN254_P, BN254_R, SECP256K1_P, MAX, MAX - 1n, (1n << 255n) - 19n],
  // Around the smallest modulus whose reciprocal fits into the limbs.
  ...[FLOOR - 1n, FLOOR, FLOOR + 1n, FLOOR + 2n, 1n << 255n, (1n << 255n) + 1n, (1n << 233n) - 1n],
  ...[0n, 1n, 2n, 3n, 0xffffffffn, 1n << 32n, (1n << 64n) - 1n, 1n << 64n, (1n << 128n) + 1n],
]

describe(`the division of words, LOCKSTEP_SEED=${SEED},`, () => {
  test.each(MODULI)('reduces a product modulo %s, the first, second and later times', (n) => {
    const terms = [0n, 1n, n > 0n ? n - 1n : 0n, n & MAX, (n + 1n) & MAX, MAX, MAX - 1n, 1n << 255n]
    for (const a of terms) for (const b of terms) check('multiplyModulo', a, b, n)
    for (let i = 0; i < 300; i++) check('multiplyModulo', anyWord(), anyWord(), n)
  })

  test('reduces products under alternating moduli', () => {
    // More moduli than are cached, some with the same low bits.
    const moduli = Array.from({ length: 40 }, (_, i) => anyWord() | (FLOOR << BigInt(i % 24)))
    for (let i = 0; i < 20_000; i++) {
      const n = moduli[Math.floor(random() ** 2 * moduli.length)] as bigint
      check('multiplyModulo', anyWord(), anyWord(), n)
    }
  })

  test('handles products whose quotient is estimated too low', () => {
    // The reciprocal is least exact for the smallest moduli, and the product is largest for the largest terms.
    for (let i = 0; i < 2000; i++) {
      const n =
        FLOOR + BigInt(Math.floor(random() * 1000)) + (random() < 0.5 ? anyWord() >> 30n : 0n)
      for (let k = 0; k < 4; k++)
        check('multiplyModulo', MAX - BigInt(k), MAX - (anyWord() >> 200n), n)
      const quotient = anyWord() >> 24n
      // One below, at and one above a multiple.
      for (const rest of [-1n, 0n, 1n]) {
        const value = quotient * n + rest
        if (value > 0n && value <= MAX) check('multiplyModulo', value, 1n, n)
      }
    }
  })

  test('reduces sums', () => {
    for (const n of MODULI) {
      const terms = [0n, 1n, n > 0n ? n - 1n : 0n, n & MAX, MAX, MAX - 1n]
      for (const a of terms) for (const b of terms) check('addModulo', a, b, n)
    }
    for (let i = 0; i < 20_000; i++) {
      const n = random() < 0.3 ? BN254_P : anyWord()
      check('addModulo', anyWord(), anyWord(), n)
    }
  })

  test('divides by divisors of one limb', () => {
    const limbs = [1n, 3n, 10n, 997n, 10_000n, 0xffffffffn, 1n << 32n, 10n ** 18n, 10n ** 19n]
    for (const end of [(1n << 63n) - 1n, 1n << 63n, (1n << 63n) + 1n, (1n << 64n) - 1n])
      limbs.push(end)
    for (let i = 0; i < 20_000; i++) {
      const chosen = limbs[Math.floor(random() * limbs.length)] as bigint
      const b = random() < 0.5 ? chosen : anyWord() >> BigInt(192 + Math.floor(random() * 63))
      const a = anyWord()
      check('divide', a, b)
      check('modulo', a, b)
      check('addModulo', a, anyWord(), b)
      check('multiplyModulo', a, anyWord(), b)
      const multiple = (a >> 64n) * b
      for (const near of [multiple - 1n, multiple, multiple + b - 1n]) {
        if (near < 0n || near > MAX) continue
        check('divide', near, b)
        check('modulo', near, b)
      }
    }
  })

  test('returns quotients and remainders', () => {
    for (let i = 0; i < 30_000; i++) {
      const [a, b] = [anyWord(), random() < 0.2 ? anyWord() >> 4n : anyWord()]
      check('divide', a, b)
      check('modulo', a, b)
    }
    for (const b of MODULI) {
      for (let k = 0n; k < 10n; k++) {
        for (const a of [k * b - 1n, k * b, k * b + 1n]) {
          if (a < 0n || a > MAX) continue
          check('divide', a, b)
          check('modulo', a, b)
        }
      }
    }
  })
})
