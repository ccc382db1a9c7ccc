import { secp256k1 } from '@noble/curves/secp256k1.js'
import { describe, expect, test } from 'vitest'
import { compileAssembly } from '../../support/engine/assembly.ts'
import { makeRandom } from '../../support/random.ts'

const PRIME = secp256k1.Point.Fp.ORDER
const LIMBS = 20
const LANES = 4
const QUAD = 160

const SOURCE = `
import * as lanes from './assembly/curve/generated/secp256k1-lanes'
export const BUFFER: usize = memory.data(${4 * QUAD}, 16)
const A: usize = BUFFER + ${QUAD}
const B: usize = BUFFER + ${2 * QUAD}
const C: usize = BUFFER + ${3 * QUAD}
export function multiply(): void { lanes.multiply(BUFFER, A, B) }
export function multiplyMinus(): void { lanes.multiplyMinus(BUFFER, A, B, C) }
export function square(): void { lanes.square(BUFFER, A) }
export function squareMinus(): void { lanes.squareMinus(BUFFER, A, C) }
`

/** Largest limbs of operands that the generator assumes: see tools/secp256k1-lanes-source.ts. */
const LARGEST = Array.from({ length: LIMBS }, (_, i) => (i === LIMBS - 1 ? 1100 : 8207))

const FUNCTIONS: Readonly<Record<string, (a: bigint, b: bigint, c: bigint) => bigint>> = {
  multiply: (a, b) => a * b,
  multiplyMinus: (a, b, c) => a * b - c,
  square: (a) => a * a,
  squareMinus: (a, _, c) => a * a - c,
}

const modulo = (value: bigint): bigint => ((value % PRIME) + PRIME) % PRIME

describe('vectorized arithmetic on four secp256k1 field elements', async () => {
  const { exports } = new WebAssembly.Instance(await compileAssembly(SOURCE))
  const { memory, BUFFER } = exports as { memory: WebAssembly.Memory; BUFFER: WebAssembly.Global }
  const limbs = new Int16Array(memory.buffer, BUFFER.value, 2 * QUAD)
  const at = (quad: number, lane: number, limb: number) =>
    quad * (QUAD / 2) + (limb >> 1) * 8 + lane * 2 + (limb & 1)

  const write = (quad: number, lane: number, values: readonly number[]) => {
    for (const [i, value] of values.entries()) limbs[at(quad, lane, i)] = value
  }
  const read = (quad: number, lane: number): number[] =>
    LARGEST.map((_, i) => limbs[at(quad, lane, i)] as number)
  const sumLimbs = (values: readonly number[]): bigint =>
    values.reduce((sum, limb, i) => sum + (BigInt(limb) << BigInt(13 * i)), 0n)

  const random = makeRandom(20261123)
  const randomLimbs = LARGEST.map((size) => () => Math.floor(random() * (2 * size + 1)) - size)
  const alternating = (i: number, size: number): number => (i % 2 === 0 ? size : -size)
  const kinds: readonly (() => number[])[] = [
    () => [...LARGEST],
    () => LARGEST.map((size) => -size),
    () => LARGEST.map((size, i) => alternating(i, size)),
    () => LARGEST.map(() => 0),
    () => randomLimbs.map((limb) => limb()),
    () => randomLimbs.map((limb) => limb()),
  ]
  const pick = () => (kinds[Math.floor(random() * kinds.length)] as () => number[])()

  test.each(Object.keys(FUNCTIONS))(
    'computes %s with correct carries at the largest limbs',
    (name) => {
      for (let round = 0; round < 500; round++) {
        for (let lane = 0; lane < LANES; lane++) {
          write(1, lane, pick())
          write(2, lane, pick())
          write(
            3,
            lane,
            pick().map((limb) => 2 * limb),
          )
        }
        const run = exports[name] as () => void
        run()
        for (let lane = 0; lane < LANES; lane++) {
          const [a, b, c] = [1, 2, 3].map((quad) => sumLimbs(read(quad, lane)))
          const result = read(0, lane)
          const expected = FUNCTIONS[name]?.(a as bigint, b as bigint, c as bigint) as bigint
          expect(modulo(sumLimbs(result)), `round ${round}`).toBe(modulo(expected))
          expect(Math.min(...result), `round ${round}`).toBeGreaterThanOrEqual(-4)
          expect(Math.max(...result), `round ${round}`).toBeLessThan(8192 + 4)
          expect(result[LIMBS - 1], `round ${round}`).toBeLessThan(512 + 4)
        }
      }
    },
  )
})
