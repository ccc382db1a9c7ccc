/**
 * Writes assembly/curve/generated/bls12-381-field.ts and bls12-381-constants.ts.
 *
 * A field element is fourteen signed limbs of 28 bits in i32 words eight bytes apart. The two halves of an Fp2
 * element thus interleave and fill the two lanes of a vector. Limbs may exceed 28 bits: bounds are counted in halves
 * of 2^27, the size of a centred limb. `HALVES` is the limit of the products below. It is proved here, and a
 * generated function carries no check.
 *
 * Usage: node tools/generate-bls12-381.ts [--check]
 */

import {
  type Fp2,
  G1_X_DENOMINATOR,
  G1_X_NUMERATOR,
  G1_Y_DENOMINATOR,
  G1_Y_NUMERATOR,
  G2_X_DENOMINATOR,
  G2_X_NUMERATOR,
  G2_Y_DENOMINATOR,
  G2_Y_NUMERATOR,
  TAU_G2,
} from './bls12-381-constants.ts'
import { writeGenerated } from './generated-files.ts'

const LIMBS = 14
const BITS = 28n
const MASK = (1n << BITS) - 1n
const HALF = 1n << (BITS - 1n)
const RADIX = 1n << (BITS * BigInt(LIMBS))

const P =
  0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn
const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n
const Z = 0xd201000000010000n

const G1_GENERATOR = {
  x: 0x17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bbn,
  y: 0x08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1n,
}
const G2_GENERATOR: { readonly x: Fp2; readonly y: Fp2 } = {
  x: [
    0x024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8n,
    0x13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7en,
  ],
  y: [
    0x0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801n,
    0x0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79ben,
  ],
}

// Integers

function modulo(value: bigint): bigint {
  const rest = value % P
  return rest < 0n ? rest + P : rest
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let b = modulo(base), e = exponent; e > 0n; e >>= 1n) {
    if (e & 1n) result = modulo(result * b)
    b = modulo(b * b)
  }
  return result
}

const invert = (value: bigint): bigint => power(value, P - 2n)

function multiplyFp2([a, b]: Fp2, [c, d]: Fp2): Fp2 {
  return [modulo(a * c - b * d), modulo(a * d + b * c)]
}

function powerFp2(base: Fp2, exponent: bigint): Fp2 {
  let result: Fp2 = [1n, 0n]
  for (let b = base, e = exponent; e > 0n; e >>= 1n) {
    if (e & 1n) result = multiplyFp2(result, b)
    b = multiplyFp2(b, b)
  }
  return result
}

function invertFp2([a, b]: Fp2): Fp2 {
  const inverse = invert(a * a + b * b)
  return [modulo(a * inverse), modulo(-b * inverse)]
}

function digits(value: bigint, bits: bigint, count: number): bigint[] {
  const mask = (1n << bits) - 1n
  return Array.from({ length: count }, (_, i) => (value >> (bits * BigInt(i))) & mask)
}

/** Limbs from -2^27 to 2^27; the top one takes the remainder. */
function centred(value: bigint): bigint[] {
  const result: bigint[] = []
  let rest = value
  for (let i = 0; i < LIMBS - 1; i++) {
    const limb = ((rest + HALF) & MASK) - HALF
    result.push(limb)
    rest = (rest - limb) >> BITS
  }
  result.push(rest)
  return result
}

const PRIME = centred(P)
const hex = (value: bigint): string => `0x${value.toString(16)}`
const at = (list: readonly bigint[], index: number): bigint => list[index] as bigint

// Bounds

/** Products of sizes, in halves, that one lane may sum: a column and its carry stay below 2^63. */
const SCALAR_HALVES = 32n
/** The same for the sum of two products. */
const PAIR_HALVES = 16n

function proveColumns(products: bigint, halves: bigint): void {
  const carried = HALF + 64n // the carry of `reduce` may exceed a half
  const operands = carried * carried * BigInt(LIMBS) * products * halves
  const reduction = PRIME.reduce((sum, limb) => sum + (limb < 0n ? -limb : limb) * MASK, 0n)
  const column = operands + reduction + (1n << 36n) + HALF
  if (column >= 1n << 63n) throw new RangeError(`a column of ${products} products overflows`)
}

// Source text

/** 2^63 in every column makes it positive, so that a logical shift can replace a signed one. */
const FIRST_OFFSET = '0x8000000000000000'
const OFFSET = (1n << 63n) - (1n << 35n)

const sum = (terms: readonly string[]): string =>
  terms.reduce((left, right) => `i64x2.add(${left}, ${right})`)
const extended = (a: string, b: string): string => `i64x2.extmul_low_i32x4_s(${a}, ${b})`
const packed = (v: string): string => `v128.shuffle<i32>(${v}, ${v}, 0, 2, 0, 2)`

function indices(k: number): number[] {
  const result: number[] = []
  for (let i = Math.max(0, k - LIMBS + 1); i <= Math.min(LIMBS - 1, k); i++) result.push(i)
  return result
}

const NEGATIVE_INVERSE = (() => {
  let inverse = 1n
  for (let i = 0; i < 5; i++) inverse = (inverse * (2n - P * inverse)) & MASK
  return (MASK + 1n - inverse) & MASK
})()

const RADIX_CONSTANT = hex(NEGATIVE_INVERSE)

/** One product in one lane. A square shares its mixed terms. */
function scalarProduct(name: string, doc: string, isSquare: boolean): string[] {
  proveColumns(1n, SCALAR_HALVES)
  const lines = [
    `/** ${doc} */`,
    `export function ${name}(out: usize, a: usize${isSquare ? '' : ', b: usize'}): void {`,
  ]
  for (const operand of isSquare ? ['a'] : ['a', 'b']) {
    for (let i = 0; i < LIMBS; i++)
      lines.push(`  const ${operand}${i}: i64 = load<i32>(${operand}, ${8 * i})`)
  }
  lines.push('  let c: i64 = 0')
  for (let k = 0; k <= 2 * LIMBS - 2; k++) {
    const terms: string[] = []
    if (isSquare) {
      const mixed = indices(k).filter((i) => i < k - i)
      if (mixed.length > 0)
        terms.push(`((${mixed.map((i) => `a${i} * a${k - i}`).join(' + ')}) << 1)`)
      if (k % 2 === 0) terms.push(`a${k / 2} * a${k / 2}`)
    } else terms.push(...indices(k).map((i) => `a${i} * b${k - i}`))
    for (const i of indices(k)) if (i < k || k >= LIMBS) terms.push(`m${i} * ${at(PRIME, k - i)}`)
    lines.push(`  c += ${terms.join(' + ')}`)
    if (k < LIMBS) {
      lines.push(`  const m${k}: i64 = (c * ${RADIX_CONSTANT}) & ${hex(MASK)}`)
      lines.push(`  c = (c + m${k} * ${at(PRIME, 0)}) >> ${BITS}`)
    } else {
      lines.push(`  c += ${hex(HALF)}`)
      lines.push(
        `  store<i32>(out, ((c as i32) & ${hex(MASK)}) - ${hex(HALF)}, ${8 * (k - LIMBS)})`,
      )
      lines.push(`  c >>= ${BITS}`)
    }
  }
  lines.push(`  store<i32>(out, c as i32, ${8 * (LIMBS - 1)})`, '}', '')
  return lines
}

/** A product in each lane. `terms` returns the summands of column `k`, `operands` defines their vectors. */
function vectorProduct(
  name: string,
  doc: string,
  operands: readonly string[],
  terms: (i: number, j: number) => readonly string[],
): string[] {
  const lines = [
    `/** ${doc} */`,
    `export function ${name}(out: usize, a: usize, b: usize): void {`,
    ...operands,
    `  const low: v128 = i64x2.splat(${hex(MASK)})`,
    `  const half: v128 = i32x4.splat(${hex(HALF)})`,
    `  const inverse: v128 = i32x4.splat(${RADIX_CONSTANT})`,
    `  const offset: v128 = i64x2.splat(${hex(OFFSET)})`,
    `  const rounding: v128 = i64x2.splat(${hex(OFFSET + HALF)})`,
    `  let c: v128 = i64x2.splat(${FIRST_OFFSET})`,
  ]
  for (let i = 0; i < LIMBS; i++) lines.push(`  const p${i}: v128 = i32x4.splat(${at(PRIME, i)})`)
  for (let k = 0; k <= 2 * LIMBS - 2; k++) {
    const all = indices(k).flatMap((i) => terms(i, k - i))
    for (const i of indices(k)) if (i < k || k >= LIMBS) all.push(extended(`m${i}`, `p${k - i}`))
    lines.push(`  c = i64x2.add(c, ${sum(all)})`)
    if (k < LIMBS) {
      if (k > 0) lines.push('  c = i64x2.add(c, offset)')
      lines.push(
        `  const m${k}: v128 = ${`v128.and(${packed(extended(packed('c'), 'inverse'))}, i32x4.splat(${hex(MASK)}))`}`,
        `  c = i64x2.shr_u(i64x2.add(c, ${extended(`m${k}`, 'p0')}), ${BITS})`,
      )
    } else {
      lines.push('  c = i64x2.add(c, rounding)')
      lines.push(
        `  v128.store64_lane(out, i32x4.sub(${packed('v128.and(c, low)')}, half), 0, ${8 * (k - LIMBS)})`,
        `  c = i64x2.shr_u(c, ${BITS})`,
      )
    }
  }
  lines.push(
    `  c = i64x2.sub(c, i64x2.splat(${hex(1n << 35n)}))`,
    `  v128.store64_lane(out, ${packed('c')}, 0, ${8 * (LIMBS - 1)})`,
    '}',
    '',
  )
  return lines
}

function fp2Product(): string[] {
  proveColumns(2n, PAIR_HALVES)
  const operands: string[] = []
  for (let i = 0; i < LIMBS; i++) {
    operands.push(
      `  const re${i}: v128 = v128.load32_splat(a, ${8 * i})`,
      `  const im${i}: v128 = v128.load32_splat(a, ${8 * i + 4})`,
      `  const b${i}: v128 = v128.load64_zero(b, ${8 * i})`,
      `  const t${i}: v128 = v128.shuffle<i32>(b${i}, i32x4.neg(b${i}), 5, 0, 5, 0)`,
    )
  }
  return vectorProduct(
    'multiplyFp2',
    'out = a * b in Fp2; sizes: at most 16 halves as a product.',
    operands,
    (i, j) => [extended(`re${i}`, `b${j}`), extended(`im${i}`, `t${j}`)],
  )
}

function laneProduct(): string[] {
  const operands: string[] = []
  for (const name of ['a', 'b']) {
    for (let i = 0; i < LIMBS; i++)
      operands.push(`  const ${name}${i}: v128 = v128.load64_zero(${name}, ${8 * i})`)
  }
  return vectorProduct(
    'multiplyLanes',
    'Each half of out is the product of those halves of a and b; sizes: at most 32 halves.',
    operands,
    (i, j) => [extended(`a${i}`, `b${j}`)],
  )
}

/** At most seven halves and as many primes: adding seven times a centred limb stays below 2^31. */
function reduction(): string[] {
  const multiplier = (1n << 26n) / (P >> (BITS * BigInt(LIMBS - 1)))
  const lines = [
    '/**',
    ' * out = a minus the nearest multiple of the prime, with limbs centred: at most one half (and the',
    ' * carry of a limb). a is at most seven halves.',
    ' */',
    'export function reduce(out: usize, a: usize): void {',
    `  const top: v128 = v128.load64_zero(a, ${8 * (LIMBS - 1)})`,
    '  let q: v128 = i32x4.shr_s(',
    `    i32x4.add(i32x4.mul(top, i32x4.splat(${multiplier})), i32x4.splat(0x2000000)), 26,`,
    '  )',
    '  q = v128.shuffle<i32>(q, q, 0, 1, 0, 1)',
    `  const half: v128 = i32x4.splat(${hex(HALF)})`,
    '  let before: v128 = i32x4.splat(0)',
    '  let x: v128',
    '  let carry: v128',
  ]
  for (let i = 0; i < LIMBS; i += 2) {
    const prime = `i32x4(${at(PRIME, i)}, ${at(PRIME, i)}, ${at(PRIME, i + 1)}, ${at(PRIME, i + 1)})`
    lines.push(
      `  x = i32x4.sub(v128.load(a, ${8 * i}), i32x4.mul(q, ${prime}))`,
      `  carry = i32x4.shr_s(i32x4.add(x, half), ${BITS})`,
      `  x = i32x4.sub(x, i32x4.shl(carry, ${BITS}))`,
      `  v128.store(out, i32x4.add(x, v128.shuffle<i32>(before, carry, 2, 3, 4, 5)), ${8 * i})`,
    )
    if (i < LIMBS - 2) lines.push('  before = carry')
  }
  lines.push('}', '')
  return lines
}

/** Lane-wise: both halves of an Fp2 element, or an Fp element and arbitrary contents in the other lane. */
function linear(name: string, doc: string, b: boolean, text: (a: string, b: string) => string) {
  const lines = [
    `/** ${doc} */`,
    `export function ${name}(out: usize, a: usize${b ? ', b: usize' : ''}): void {`,
  ]
  for (let i = 0; i < LIMBS / 2; i++)
    lines.push(
      `  v128.store(out, ${text(`v128.load(a, ${16 * i})`, `v128.load(b, ${16 * i})`)}, ${16 * i})`,
    )
  lines.push('}', '')
  return lines
}

const BANNER = '// Written by tools/generate-bls12-381.ts; do not edit.'

function field(): string {
  const swapped = (v: string) => `v128.shuffle<i32>(${v}, ${v}, 1, 0, 3, 2)`
  return [
    BANNER,
    '//',
    '// Values are in Montgomery form (times 2^392) and signed. The size of an operand is counted in',
    '// halves of 2^27: the result of a product or `reduce` has one, a sum or difference the sum of both.',
    '',
    ...scalarProduct(
      'multiplyFp',
      'out = a * b in Fp; sizes: at most 32 halves as a product.',
      false,
    ),
    ...scalarProduct('squareFp', 'out = a^2 in Fp; at most five halves.', true),
    ...fp2Product(),
    ...laneProduct(),
    ...reduction(),
    ...linear('add', 'out = a + b.', true, (a, b) => `i32x4.add(${a}, ${b})`),
    ...linear('subtract', 'out = a - b.', true, (a, b) => `i32x4.sub(${a}, ${b})`),
    ...linear('negate', 'out = -a.', false, (a) => `i32x4.neg(${a})`),
    ...linear('twice', 'out = 2 * a.', false, (a) => `i32x4.shl(${a}, 1)`),
    ...linear('thrice', 'out = 3 * a.', false, (a) => `i32x4.add(${a}, i32x4.shl(${a}, 1))`),
    ...linear('fourfold', 'out = 4 * a.', false, (a) => `i32x4.shl(${a}, 2)`),
    ...linear('copy', 'out = a.', false, (a) => a),
    ...linear(
      'conjugate',
      'out = re - im * i.',
      false,
      (a) => `i32x4.mul(${a}, i32x4(1, -1, 1, -1))`,
    ),
    ...linear(
      'timesXi',
      'out = a * (1 + i): re - im and im + re; twice the size.',
      false,
      (a) => `i32x4.add(${a}, i32x4.mul(${swapped(a)}, i32x4(-1, 1, -1, 1)))`,
    ),
    ...linear(
      'splat',
      'out = the first half of a in both.',
      false,
      (a) => `v128.shuffle<i32>(${a}, ${a}, 0, 0, 2, 2)`,
    ),
    '/** out = (re + im, 2 * re) and paired = (re - im, im): their products are the square of a. */',
    'export function splitSquare(out: usize, paired: usize, a: usize): void {',
    '  let x: v128',
    ...Array.from({ length: LIMBS / 2 }, (_, i) => [
      `  x = v128.load(a, ${16 * i})`,
      `  v128.store(out, i32x4.add(v128.shuffle<i32>(x, x, 0, 0, 2, 2), v128.shuffle<i32>(x, x, 1, 0, 3, 2)), ${16 * i})`,
      `  v128.store(paired, i32x4.sub(v128.shuffle<i32>(x, i32x4.splat(0), 0, 1, 2, 3), v128.shuffle<i32>(x, i32x4.splat(0), 1, 4, 3, 4)), ${16 * i})`,
    ])
      .flat()
      .map((line) => line),
    '}',
    '',
  ].join('\n')
}

function words(values: readonly bigint[]): string[] {
  const lines: string[] = []
  for (let i = 0; i < values.length; i += 14) lines.push(`  ${values.slice(i, i + 14).join(', ')},`)
  return lines
}

function data(name: string, type: string, values: readonly bigint[]): string[] {
  return [`export const ${name}: usize = memory.data<${type}>([`, ...words(values), '], 16)', '']
}

const montgomery = (value: bigint): bigint[] => centred(modulo(value * RADIX))

function element([c0, c1]: Fp2): bigint[] {
  const re = montgomery(c0)
  const im = montgomery(c1)
  return re.flatMap((limb, i) => [limb, at(im, i)])
}

/** Returns plain limbs of a value that is not in Montgomery form. */
function plain(value: bigint): bigint[] {
  return centred(value).flatMap((limb) => [limb, 0n])
}

const elements = (name: string, values: readonly Fp2[]): string[] =>
  data(name, 'i32', values.flatMap(element))

const real = (value: bigint): Fp2 => [modulo(value), 0n]

const XI: Fp2 = [1n, 1n]

/** Returns xi^(i * (p - 1) / 6) for i = 1 to 5: the factors of the powers of w under the Frobenius map. */
function frobenius(): Fp2[] {
  return [1n, 2n, 3n, 4n, 5n].map((i) => powerFp2(XI, (i * (P - 1n)) / 6n))
}

function frobeniusSquared(): Fp2[] {
  return [1n, 2n, 3n, 4n, 5n].map((i) => powerFp2(XI, (i * (P * P - 1n)) / 6n))
}

/** Returns the cube root of one for which (beta * x, y) is -z^2 times (x, y), tested on G1's generator. */
function beta(): bigint {
  const root = power(2n, (P - 1n) / 3n)
  const { x, y } = multiplyG1(Z * Z)
  const candidate = [root, modulo(root * root)].find(
    (value) => modulo(value * G1_GENERATOR.x) === x,
  )
  if (candidate === undefined || modulo(-y) !== G1_GENERATOR.y) throw new RangeError('no beta')
  return candidate
}

interface Point {
  readonly x: bigint
  readonly y: bigint
}

function multiplyG1(scalar: bigint): Point {
  let result: Point | undefined
  for (let bit = BigInt(scalar.toString(2).length) - 1n; bit >= 0n; bit--) {
    if (result !== undefined) result = addG1(result, result)
    if ((scalar >> bit) & 1n)
      result = result === undefined ? G1_GENERATOR : addG1(result, G1_GENERATOR)
  }
  return result as Point
}

function addG1(a: Point, b: Point): Point {
  const slope = a.x === b.x ? 3n * a.x * a.x * invert(2n * a.y) : (b.y - a.y) * invert(b.x - a.x)
  const x = modulo(slope * slope - a.x - b.x)
  return { x, y: modulo(slope * (a.x - x) - a.y) }
}

/** Returns a square root of -11^3, which turns a failed root of g(x1) into one of g(x2). */
function mapRoot(): bigint {
  const root = power(-(11n ** 3n), (P + 1n) / 4n)
  if (modulo(root * root + 11n ** 3n) !== 0n) throw new RangeError('no root of -Z^3')
  return root
}

function constants(): string {
  return [
    BANNER,
    '',
    '/** p as unsigned limbs, in sequence. */',
    ...data('PRIME', 'u32', digits(P, BITS, LIMBS)),
    '/** Modulus for inverse.ts: thirteen 30-bit limbs of p and its inverse modulo 2^30. */',
    ...data('PRIME_INVERSE', 'u32', [...digits(P, 30n, 13), inverseModulo30()]),
    '/** One, not in Montgomery form: a product by it leaves that form. */',
    ...data('UNIT', 'i32', plain(1n)),
    '/** A product by it enters Montgomery form, in one lane or both. */',
    ...data(
      'SQUARED_RADIX',
      'i32',
      centred(modulo(RADIX * RADIX)).flatMap((limb) => [limb, limb]),
    ),
    '/** A product by it converts the inverse of a value in Montgomery form back to that form. */',
    ...data('CUBED_RADIX', 'i32', plain(modulo(RADIX * RADIX * RADIX))),
    ...elements('ONE', [[1n, 0n]]),
    ...elements('ONE_HALF', [real(invert(2n))]),
    '/** The constants b of the curves. */',
    ...elements('G1_B', [[4n, 0n]]),
    ...elements('G2_B', [[4n, 4n]]),
    ...elements('BETA', [real(beta())]),
    '/** psi(x, y) = (conjugate(x) * PSI_X, conjugate(y) * PSI_Y). */',
    ...elements('PSI_X', [invertFp2(powerFp2(XI, (P - 1n) / 3n))]),
    ...elements('PSI_Y', [invertFp2(powerFp2(XI, (P - 1n) / 2n))]),
    '/** xi^(i * (p - 1) / 6) and xi^(i * (p^2 - 1) / 6) for i = 1 to 5. */',
    ...elements('FROBENIUS', frobenius()),
    ...elements('FROBENIUS_SQUARED', frobeniusSquared()),
    '/** (p - 3) / 4 as bytes, highest first. */',
    ...data('ROOT_EXPONENT', 'u8', digits((P - 3n) / 4n, 8n, 48).reverse()),
    '/** The order of the groups as four u64 words, lowest first. */',
    ...data(
      'ORDER',
      'u64',
      digits(ORDER, 64n, 4).map((word) => BigInt.asIntN(64, word)),
    ),
    '/** The generators, the negated one of G2, and [tau] G2: x, then y. */',
    ...elements('G1_GENERATOR', [real(G1_GENERATOR.x), real(G1_GENERATOR.y)]),
    ...elements('MINUS_G2', [G2_GENERATOR.x, [-G2_GENERATOR.y[0], -G2_GENERATOR.y[1]]]),
    ...elements('TAU_G2', [TAU_G2.x, TAU_G2.y]),
    '/** The curves that isogenies map to these (RFC 9380, 8.8): A, B, Z, -B / A, B / (Z * A). */',
    ...elements(
      'G1_SIMPLE',
      simple(
        [
          0x144698a3b8e9433d693a02c96d4982b0ea985383ee66a8d8e8981aefd881ac98936f8da0e0f97f5cf428082d584c1dn,
          0n,
        ],
        [
          0x12e2908d11688030018b12e8753eee3b2016c1f0f24f4070a0b9c14fcef35ef55a23215a316ceaa5d1cc48e98e172be0n,
          0n,
        ],
        [11n, 0n],
      ),
    ),
    ...elements('G2_SIMPLE', simple([0n, 240n], [1012n, 1012n], [-2n, -1n])),
    '/** A square root of -Z^3 for G1. */',
    ...elements('G1_MAP_ROOT', [real(mapRoot())]),
    ...elements('G1_X_NUMERATOR', G1_X_NUMERATOR.map(real)),
    ...elements('G1_X_DENOMINATOR', G1_X_DENOMINATOR.map(real)),
    ...elements('G1_Y_NUMERATOR', G1_Y_NUMERATOR.map(real)),
    ...elements('G1_Y_DENOMINATOR', G1_Y_DENOMINATOR.map(real)),
    ...elements('G2_X_NUMERATOR', G2_X_NUMERATOR),
    ...elements('G2_X_DENOMINATOR', G2_X_DENOMINATOR),
    ...elements('G2_Y_NUMERATOR', G2_Y_NUMERATOR),
    ...elements('G2_Y_DENOMINATOR', G2_Y_DENOMINATOR),
  ].join('\n')
}

function simple(a: Fp2, b: Fp2, z: Fp2): Fp2[] {
  const minusB: Fp2 = [-b[0], -b[1]]
  return [a, b, z, multiplyFp2(minusB, invertFp2(a)), multiplyFp2(b, invertFp2(multiplyFp2(z, a)))]
}

function inverseModulo30(): bigint {
  const mask = (1n << 30n) - 1n
  let inverse = 1n
  for (let i = 0; i < 5; i++) inverse = (inverse * (2n - P * inverse)) & mask
  return inverse & mask
}

// Output

const FILES: Readonly<Record<string, () => string>> = {
  'bls12-381-field.ts': field,
  'bls12-381-constants.ts': constants,
}

writeGenerated(
  'tools/generate-bls12-381.ts',
  new URL('../assembly/curve/generated/', import.meta.url),
  FILES,
)
