/**
 * Writes assembly/curve/generated/*.ts: field arithmetic of secp256k1, P-256 and BN254, and point tables.
 *
 * A field element is nine limbs of 29 bits, little-endian, each in a u32 of linear memory. A product is scanned
 * column by column in one u64, so a column must not overflow. This is proved here from the largest value of every
 * input limb; a generated function carries no check.
 *
 * Usage: node tools/generate-curves.ts [--check]
 */

import { bn254Base, bn254Quadratic, bn254Scalar } from './bn254-source.ts'
import {
  addBounds,
  assertBelow,
  at,
  BANNER,
  BITS,
  type Bound,
  column,
  data,
  digits,
  FULL,
  header,
  hex,
  inverseModulus,
  invert,
  LIMBS,
  limbs,
  linearCombination,
  loads,
  MASK,
  MONTGOMERY_RADIX,
  modulo,
  montgomeryProduct,
  multipleAbove,
  type Operand,
  type Product,
  REDUCED,
  type Term,
  totalOf,
} from './curve-source.ts'
import { writeGenerated } from './generated-files.ts'
import { secp256k1Lanes } from './secp256k1-lanes-source.ts'

const WINDOW = 8

interface Curve {
  readonly name: string
  readonly prime: bigint
  readonly order: bigint
  readonly a: bigint
  readonly generator: Point
}

interface Point {
  readonly x: bigint
  readonly y: bigint
}

const SECP256K1: Curve = {
  name: 'secp256k1',
  prime: 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn,
  order: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
  a: 0n,
  generator: {
    x: 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
    y: 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
  },
}

const P256: Curve = {
  name: 'p256',
  prime: 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn,
  order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  a: -3n,
  generator: {
    x: 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
    y: 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
  },
}

/**
 * Multiplication modulo 2^256 - 2^32 - 977. The columns from 9 up are folded back as they come, since 2^261 = 2^37 +
 * 31264 = 2^8 * 2^29 + 31264 in weight. Every output limb is below 2^29 except limb 2 (slightly above) and limb 8 (24
 * bits). `linear` terms are added in the columns, the negative ones over a multiple of p.
 */
function foldedProduct(
  name: string,
  doc: string,
  products: readonly Product[],
  options: { scale?: bigint; linear?: readonly Term[]; output: Bound },
): string[] {
  const { scale = 1n, linear = [], output } = options
  const prime = SECP256K1.prime
  const operands = [...new Set([...products.flat(), ...linear.map((term) => term.operand)])]
  const lines = [...header(name, operands, doc), ...loads(products)]

  const subtrahend = FULL.map((_, i) =>
    linear.reduce((sum, t) => (t.factor < 0n ? sum - t.factor * at(t.operand.bound, i) : sum), 0n),
  )
  const cover = subtrahend.some((limb) => limb > 0n) ? multipleAbove(prime, subtrahend) : undefined

  let carry = 0n
  for (let k = LIMBS; k <= 2 * LIMBS - 2; k++) {
    const { text, max } = column(products, k, scale)
    carry += max
    assertBelow(carry, 64n, `${name} column ${k}`)
    lines.push(k === LIMBS ? `  let c: u64 = ${text}` : `  c += ${text}`)
    lines.push(`  let h${k - LIMBS}: u64 = c & ${hex(MASK)}`, `  c >>= ${BITS}`)
    carry >>= BITS
  }
  lines.push(`  let h${LIMBS - 1}: u64 = c`)
  const high = [...FULL.slice(1), carry]

  carry = 0n
  for (let k = 0; k < LIMBS; k++) {
    const { text, max } = column(products, k, scale)
    let sum = `${text} + h${k} * 31264`
    carry += max + at(high, k) * 31264n
    if (k > 0) {
      sum += ` + (h${k - 1} << 8)`
      carry += at(high, k - 1) << 8n
    }
    if (cover !== undefined) {
      sum += ` + ${hex(at(cover, k))}`
      carry += at(cover, k)
    }
    for (const { operand, factor } of linear) {
      const value = `(load<u32>(${operand.name}, ${4 * k}) as u64)`
      sum += ` - ${factor === -1n ? '' : `${-factor} * `}${value}`
    }
    assertBelow(carry, 64n, `${name} column ${k}`)
    lines.push(k === 0 ? `  c = ${sum}` : `  c += ${sum}`)
    lines.push(`  let r${k}: u64 = c & ${hex(MASK)}`, `  c >>= ${BITS}`)
    carry >>= BITS
  }

  // The remainder has weight 2^261. Together with the top five bits of limb 8 it has weight 2^256.
  carry += at(high, LIMBS - 1) << 8n
  assertBelow(carry, 58n, `${name} carry`)
  carry = (carry << 5n) | 31n
  const low = MASK + carry * 977n
  const middle = (low >> BITS) + MASK + (carry << 3n)
  assertBelow(low, 64n, `${name} last fold`)
  if ((middle >> BITS) + MASK > at(output, 2)) throw new RangeError(`${name}: limb 2 too large`)
  lines.push(
    '  c += h8 << 8',
    '  c = (c << 5) | (r8 >> 24)',
    '  let f: u64 = r0 + c * 977',
    `  store<u32>(out, f & ${hex(MASK)})`,
    `  f = (f >> ${BITS}) + r1 + (c << 3)`,
    `  store<u32>(out, f & ${hex(MASK)}, 4)`,
    `  store<u32>(out, (f >> ${BITS}) + r2, 8)`,
  )
  for (let k = 3; k < LIMBS - 1; k++) lines.push(`  store<u32>(out, r${k}, ${4 * k})`)
  lines.push('  store<u32>(out, r8 & 0xffffff, 32)', '}', '')
  return lines
}

/** out = (constant or a) - b in limbs, over a multiple of p so that no limb goes below zero. */
function difference(name: string, doc: string, cover: Bound, hasMinuend: boolean): string[] {
  const lines = [
    `/** ${doc} */`,
    '@inline',
    `export function ${name}(out: usize, ${hasMinuend ? 'a: usize, ' : ''}b: usize): void {`,
  ]
  for (let i = 0; i < LIMBS; i++) {
    const minuend = hasMinuend ? `load<u32>(a, ${4 * i}) + ` : ''
    lines.push(
      `  store<u32>(out, ${minuend}${hex(at(cover, i))} - load<u32>(b, ${4 * i}), ${4 * i})`,
    )
  }
  lines.push('}', '')
  return lines
}

// Points

function addPoints(curve: Curve, p: Point, q: Point): Point {
  const { prime, a } = curve
  const slope =
    p.x === q.x
      ? (3n * p.x * p.x + a) * invert(2n * p.y, prime)
      : (q.y - p.y) * invert(q.x - p.x, prime)
  const x = modulo(slope * slope - p.x - q.x, prime)
  return { x, y: modulo(slope * (p.x - x) - p.y, prime) }
}

/** Returns the odd multiples P, 3P, ... of a window, as limbs of x, then of y. */
function oddMultiples(curve: Curve, point: Point, encode: (value: bigint) => bigint): bigint[] {
  const twice = addPoints(curve, point, point)
  const table: bigint[] = []
  let multiple = point
  for (let i = 0; i < 1 << (WINDOW - 2); i++) {
    table.push(...limbs(encode(multiple.x)), ...limbs(encode(multiple.y)))
    multiple = addPoints(curve, multiple, twice)
  }
  return table
}

// secp256k1

function secp256k1Field(): string {
  const { prime, order } = SECP256K1
  const carried: Bound = FULL.map((limb, i) =>
    i === 2 ? limb + (1n << 20n) : i === LIMBS - 1 ? (1n << 24n) - 1n : limb,
  )
  const cover = multipleAbove(prime, carried)
  const negated: Bound = cover
  const loose: Bound = addBounds(carried, cover)
  assertBelow(at(loose, 0), 32n, 'secp256k1 difference')

  const operand = (name: string, bound: Bound): Operand => ({ name, bound })
  const a = operand('a', loose)
  const b = operand('b', negated)
  const square = operand('a', negated)
  const tight = operand('a', carried)
  const tightB = operand('b', carried)
  const minus = (name: string, factor: bigint, bound: Bound): Term => ({
    operand: operand(name, bound),
    factor: -factor,
  })
  const output = { output: carried }
  const beta = 0x7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501een
  const lambda = 0x5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72n
  const minusB1 = 0xe4437ed6010e88286f547fa90abfe4c3n
  const minusB2 = order - 0x3086d221a7d46bcde86c90e49284eb15n
  const round = (numerator: bigint) => ((numerator << 384n) + order / 2n) / order
  const montgomery = (value: bigint) => modulo(value * MONTGOMERY_RADIX, order)

  return [
    BANNER,
    '//',
    '// "carried" operands are outputs of a multiplication, "negated" ones of `negate`, "loose" ones of',
    '// `subtract`; each kind includes those before it. Outputs of multiplications are carried.',
    '',
    ...foldedProduct('multiply', 'out = a * b; a loose, b negated.', [[a, b]], output),
    ...foldedProduct('square', 'out = a^2; a negated.', [[square, square]], output),
    ...foldedProduct('multiplyBy2', 'out = 2 * a * b; a negated, b carried.', [[square, tightB]], {
      ...output,
      scale: 2n,
    }),
    ...foldedProduct('multiplyBy4', 'out = 4 * a * b; both carried.', [[tight, tightB]], {
      ...output,
      scale: 4n,
    }),
    ...foldedProduct('squareBy3', 'out = 3 * a^2; a carried.', [[tight, tight]], {
      ...output,
      scale: 3n,
    }),
    ...foldedProduct('multiplyMinus', 'out = a * b - s; a loose, b and s negated.', [[a, b]], {
      ...output,
      linear: [minus('s', 1n, negated)],
    }),
    ...foldedProduct(
      'multiplyMinus8',
      'out = a * b - 8 * s; a loose, others carried.',
      [[a, tightB]],
      {
        ...output,
        linear: [minus('s', 8n, carried)],
      },
    ),
    ...foldedProduct('squareMinus2', 'out = a^2 - 2 * s; both carried.', [[tight, tight]], {
      ...output,
      linear: [minus('s', 2n, carried)],
    }),
    ...foldedProduct('squareMinusMinus2', 'out = a^2 - s - 2 * t; all carried.', [[tight, tight]], {
      ...output,
      linear: [minus('s', 1n, carried), minus('t', 2n, carried)],
    }),
    ...foldedProduct(
      'multiplyPair',
      'out = a * b + x * y; a loose, b carried, x and y negated.',
      [
        [a, tightB],
        [operand('x', negated), operand('y', negated)],
      ],
      output,
    ),
    ...difference('subtract', 'out = a - b; both carried.', cover, true),
    ...difference('negate', 'out = -b; b carried.', cover, false),
    ...data('PRIME', 'u32', limbs(prime)),
    ...inverseModulus('PRIME_INVERSE', prime),
    '/** A cube root of one: (x, y) -> (BETA * x, y) multiplies a point by lambda. */',
    ...data('BETA', 'u32', limbs(beta)),
    ...montgomeryProduct(
      'scalarMultiply',
      'out = a * b / 2^261 modulo the order, below twice the order.',
      order,
      [[operand('a', REDUCED), operand('b', REDUCED)]],
    ),
    ...data('ORDER', 'u32', limbs(order)),
    ...data('HALF_ORDER', 'u32', limbs(order / 2n)),
    ...inverseModulus('ORDER_INVERSE', order),
    '/** 2^522 modulo the order: scalarMultiply by it brings a value into Montgomery form. */',
    ...data('ORDER_SQUARED_RADIX', 'u32', limbs(montgomery(MONTGOMERY_RADIX))),
    '/** The lattice basis (a1, b1), (a2, b2) of GLV: -b1, -b2 and -lambda in Montgomery form. */',
    ...data('MINUS_B1', 'u32', limbs(montgomery(minusB1))),
    ...data('MINUS_B2', 'u32', limbs(montgomery(minusB2))),
    ...data('MINUS_LAMBDA', 'u32', limbs(montgomery(-lambda))),
    '/** b2 and -b1 over the order, times 2^384, rounded; eight 32-bit words. */',
    ...data('B2_OVER_ORDER', 'u32', digits(round(order - minusB2), 32n, 8)),
    ...data('MINUS_B1_OVER_ORDER', 'u32', digits(round(minusB1), 32n, 8)),
  ].join('\n')
}

function secp256k1Table(): string {
  let shifted = SECP256K1.generator
  for (let i = 0; i < 128; i++) shifted = addPoints(SECP256K1, shifted, shifted)
  const plain = (value: bigint) => value
  return [
    BANNER,
    '',
    `/** Width of the signed windows of the generator; a table holds 2^(width - 2) odd multiples. */`,
    `export const GENERATOR_WINDOW: u32 = ${WINDOW}`,
    '',
    '/** Odd multiples of G, 72 bytes each: nine limbs of x, nine of y. */',
    ...data('GENERATOR', 'u32', oddMultiples(SECP256K1, SECP256K1.generator, plain)),
    '/** The same for 2^128 * G. */',
    ...data('GENERATOR_HIGH', 'u32', oddMultiples(SECP256K1, shifted, plain)),
  ].join('\n')
}

// P-256

/** A little above the prime: the bound of inputs and outputs of every P-256 operation. */
const WEAK: Bound = FULL.map((limb, i) => (i === LIMBS - 1 ? (1n << 24n) + (1n << 20n) : limb))

function p256Field(): string {
  const { prime, order } = P256
  if ((totalOf(WEAK) * totalOf(WEAK)) / MONTGOMERY_RADIX + prime > totalOf(WEAK)) {
    throw new RangeError('p256: a product is above the bound')
  }
  const a: Operand = { name: 'a', bound: WEAK }
  const b: Operand = { name: 'b', bound: WEAK }
  const term = (operand: Operand, factor: bigint): Term => ({ operand, factor })
  const montgomery = (value: bigint) => modulo(value * MONTGOMERY_RADIX, prime)
  const constant = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn
  const scalar = (name: string): Operand => ({ name, bound: REDUCED })
  const linear = (name: string, doc: string, terms: readonly Term[]) =>
    linearCombination(name, doc, terms, prime, { factor: 1n, shift: 24n }, WEAK)
  return [
    BANNER,
    '//',
    '// Values are in Montgomery form (times 2^261) and at most a sixteenth above 2^256.',
    '',
    ...montgomeryProduct('multiply', 'out = a * b.', prime, [[a, b]]),
    ...montgomeryProduct('square', 'out = a^2.', prime, [[a, a]]),
    ...linear('add', 'out = a + b.', [term(a, 1n), term(b, 1n)]),
    ...linear('subtract', 'out = a - b.', [term(a, 1n), term(b, -1n)]),
    ...linear('subtractTwice', 'out = a - 2 * b.', [term(a, 1n), term(b, -2n)]),
    ...linear('subtractEight', 'out = a - 8 * b.', [term(a, 1n), term(b, -8n)]),
    ...linear('fourMinus', 'out = 4 * a - b.', [term(a, 4n), term(b, -1n)]),
    ...linear('twice', 'out = 2 * a.', [term(a, 2n)]),
    ...linear('thrice', 'out = 3 * a.', [term(a, 3n)]),
    ...data('PRIME', 'u32', limbs(prime)),
    ...inverseModulus('PRIME_INVERSE', prime),
    ...data('ONE', 'u32', limbs(montgomery(1n))),
    '/** The constant b of y^2 = x^3 - 3x + b. */',
    ...data('B', 'u32', limbs(montgomery(constant))),
    '/** 2^522 and 2^783 modulo the prime: multiplying by the first brings a value into Montgomery form,',
    ' * by the second the inverse of a value in that form. */',
    ...data('SQUARED_RADIX', 'u32', limbs(montgomery(MONTGOMERY_RADIX))),
    ...data('CUBED_RADIX', 'u32', limbs(montgomery(MONTGOMERY_RADIX * MONTGOMERY_RADIX))),
    ...montgomeryProduct(
      'scalarMultiply',
      'out = a * b / 2^261 modulo the order, below twice the order.',
      order,
      [[scalar('a'), scalar('b')]],
    ),
    ...data('ORDER', 'u32', limbs(order)),
    ...inverseModulus('ORDER_INVERSE', order),
    '/** 2^522 modulo the order. */',
    ...data(
      'ORDER_SQUARED_RADIX',
      'u32',
      limbs(modulo(MONTGOMERY_RADIX * MONTGOMERY_RADIX, order)),
    ),
  ].join('\n')
}

function p256Table(): string {
  const montgomery = (value: bigint) => modulo(value * MONTGOMERY_RADIX, P256.prime)
  return [
    BANNER,
    '',
    `/** Width of the signed windows of the generator; the table holds 2^(width - 2) odd multiples. */`,
    `export const GENERATOR_WINDOW: u32 = ${WINDOW}`,
    '',
    '/** Odd multiples of G in Montgomery form, 72 bytes each: nine limbs of x, nine of y. */',
    ...data('GENERATOR', 'u32', oddMultiples(P256, P256.generator, montgomery)),
  ].join('\n')
}

// Output

const FILES: Readonly<Record<string, () => string>> = {
  'secp256k1-field.ts': secp256k1Field,
  'secp256k1-lanes.ts': secp256k1Lanes,
  'secp256k1-table.ts': secp256k1Table,
  'p256-field.ts': p256Field,
  'p256-table.ts': p256Table,
  'bn254-fp.ts': bn254Base,
  'bn254-scalar.ts': bn254Scalar,
  'bn254-fp2.ts': bn254Quadratic,
}

writeGenerated(
  'tools/generate-curves.ts',
  new URL('../assembly/curve/generated/', import.meta.url),
  FILES,
)
