/**
 * Source text of BN254's fields (EIP-196 names the curve alt_bn128; Barreto and Naehrig, 2005): Fp of u32 limbs as
 * P-256's, and Fp2 = Fp[i] / (i^2 + 1) whose two parts share a vector, limb by limb.
 */
import {
  addBounds,
  assertBelow,
  at,
  BANNER,
  BITS,
  type Bound,
  coverTerms,
  data,
  digits,
  FULL,
  hex,
  inverseModulus,
  invert,
  LIMBS,
  limbs,
  linearCombination,
  MASK,
  MONTGOMERY_RADIX,
  modulo,
  montgomeryProduct,
  multipleAbove,
  type Operand,
  proveQuotient,
  type Term,
  totalOf,
} from './curve-source.ts'

/** The parameter u of the Barreto-Naehrig family; prime and order are polynomials in it. */
const U = 4965661367192848881n
const PRIME = 36n * U ** 4n + 36n * U ** 3n + 24n * U ** 2n + 6n * U + 1n
const ORDER = PRIME - 6n * U ** 2n

/** A cube root of one modulo the prime, and the scalar by which it multiplies points of G1. */
const BETA = modulo(-(18n * U ** 3n + 18n * U ** 2n + 9n * U + 2n), PRIME)

/** An element of Fp2, the real part first. */
type Pair = readonly [bigint, bigint]

/** Sextic non-residue of the tower and of the twist y^2 = x^3 + 3 / xi. */
const XI: Pair = [9n, 1n]

/** Results: every limb carried, the value below twice the prime. */
const TIGHT: Bound = [...FULL.slice(1), at(limbs(2n * PRIME), LIMBS - 1)]

/** Results of `addLoose`: each limb has taken the carry of the one below, once. */
const LOOSE: Bound = TIGHT.map((limb, i) => (i === LIMBS - 1 ? 2n * limb + 1n : limb + 1n))

const QUOTIENT = { factor: (1n << (BITS * BigInt(LIMBS - 1) + 40n)) / PRIME, shift: 40n }

const montgomery = (value: bigint): bigint => modulo(value * MONTGOMERY_RADIX, PRIME)

// Fp

export function bn254Base(): string {
  const a: Operand = { name: 'a', bound: TIGHT }
  const b: Operand = { name: 'b', bound: TIGHT }
  const linear = (name: string, doc: string, ofA: bigint, ofB = 0n) => {
    const terms = [
      { operand: a, factor: ofA },
      ...(ofB === 0n ? [] : [{ operand: b, factor: ofB }]),
    ]
    return linearCombination(name, doc, terms, PRIME, QUOTIENT, TIGHT)
  }
  return [
    BANNER,
    '//',
    '// Fp of BN254: values are in Montgomery form (times 2^261), carried and below twice the prime.',
    '',
    ...montgomeryProduct('multiply', 'out = a * b.', PRIME, [[a, b]]),
    ...montgomeryProduct('square', 'out = a^2.', PRIME, [[a, a]]),
    ...linear('add', 'out = a + b.', 1n, 1n),
    ...linear('subtract', 'out = a - b.', 1n, -1n),
    ...linear('subtractTwice', 'out = a - 2 * b.', 1n, -2n),
    ...linear('subtractEight', 'out = a - 8 * b.', 1n, -8n),
    ...linear('negate', 'out = -a.', -1n),
    ...linear('twice', 'out = 2 * a.', 2n),
    ...linear('thrice', 'out = 3 * a.', 3n),
    ...linear('quadruple', 'out = 4 * a.', 4n),
    ...data('PRIME', 'u32', limbs(PRIME)),
    ...inverseModulus('PRIME_INVERSE', PRIME),
    ...data('ONE', 'u32', limbs(montgomery(1n))),
    '/** The constant of y^2 = x^3 + 3. */',
    ...data('B', 'u32', limbs(montgomery(3n))),
    '/** A cube root of one: (x, y) -> (BETA * x, y) multiplies a point by a cube root of one modulo',
    ' * the order. */',
    ...data('BETA', 'u32', limbs(montgomery(BETA))),
    '/** 2^522 and 2^783 modulo the prime: multiplying by the first brings a value into Montgomery form,',
    ' * by the second the inverse of a value in that form. */',
    ...data('SQUARED_RADIX', 'u32', limbs(montgomery(MONTGOMERY_RADIX))),
    ...data('CUBED_RADIX', 'u32', limbs(montgomery(MONTGOMERY_RADIX * MONTGOMERY_RADIX))),
  ].join('\n')
}

// The endomorphism of G1

export function bn254Scalar(): string {
  const a1 = 2n * U + 1n
  const a2 = 6n * U ** 2n + 2n * U
  const b1 = 6n * U ** 2n + 4n * U + 1n
  if (a1 * a1 + a2 * b1 !== ORDER) throw new RangeError('the basis is not one of the lattice')
  const words = (name: string, value: bigint) => data(name, 'u32', digits(value, 32n, 5))
  return [
    BANNER,
    '',
    '/** The lattice of the endomorphism, (A1, B1) and (A2, -A1), in u32 words, little-endian. */',
    ...words('A1', a1),
    ...words('B1', b1),
    ...words('A2', a2),
    '/** A1 and B1 over the order, times 2^256, rounded down: coordinates of (1, 0) in that basis. */',
    ...words('FLOOR_1', (a1 << 256n) / ORDER),
    ...words('FLOOR_2', (b1 << 256n) / ORDER),
  ].join('\n')
}

// Fp2: vectors

const extendedProduct = (x: string, y: string): string => `i64x2.extmul_low_i32x4_u(${x}, ${y})`
const add64 = (terms: readonly string[]): string =>
  terms.reduce((sum, term) => `i64x2.add(${sum}, ${term})`)
const add32 = (terms: readonly string[]): string =>
  terms.reduce((sum, term) => `i32x4.add(${sum}, ${term})`)
/** The low halves of two 64-bit lanes, next to each other. */
const pack = (value: string): string => `v128.shuffle<i32>(${value}, ${value}, 0, 2, 0, 2)`
const pairAt = (name: string, i: number): string => `v128.load64_zero(${name}, ${8 * i})`
/** Splats, in both 32-bit lanes of a limb. */
const splat32 = (value: bigint): string => `i32x4.splat(${hex(value)})`
const splat64 = (value: bigint): string => `i64x2.splat(${hex(value)})`
/** A limb of a real and of an imaginary part. */
const lanes32 = (re: bigint, im: bigint): string => `i32x4(${hex(re)}, ${hex(im)}, 0, 0)`

interface VectorColumn {
  /** Terms of 64-bit lanes. */
  readonly terms: readonly string[]
  readonly max: bigint
}

function open(name: string, parameters: readonly string[], doc: string): string[] {
  const list = ['out', ...parameters].map((parameter) => `${parameter}: usize`)
  return [`/** ${doc} */`, `export function ${name}(${list.join(', ')}): void {`]
}

/** Montgomery reduction of columns in the order they come, the same for both lanes. `total` bounds their sum. */
function reduceColumns(name: string, total: bigint, columns: readonly VectorColumn[]): string[] {
  if (total >= PRIME * MONTGOMERY_RADIX) throw new RangeError(`${name}: result above 2 * prime`)
  const p = limbs(PRIME)
  const radix = 1n << BITS
  const lines = [`  const mask: v128 = ${splat64(MASK)}`]
  lines.push(`  const inverse: v128 = ${splat32(radix - invert(PRIME, radix))}`)
  p.forEach((limb, i) => {
    lines.push(`  const p${i}: v128 = ${splat32(limb)}`)
  })
  let carry = 0n
  columns.forEach(({ terms, max }, k) => {
    const all = [...terms]
    carry += max
    for (let i = Math.max(0, k - LIMBS + 1); i < Math.min(LIMBS, k); i++) {
      all.push(extendedProduct(`m${i}`, `p${k - i}`))
      carry += MASK * at(p, k - i)
    }
    lines.push(k === 0 ? `  let sum: v128 = ${add64(all)}` : `  sum = ${add64(['sum', ...all])}`)
    if (k < LIMBS) {
      carry += MASK * at(p, 0)
      const product = extendedProduct(pack('sum'), 'inverse')
      lines.push(`  const m${k}: v128 = ${pack(`v128.and(${product}, mask)`)}`)
      lines.push(`  sum = i64x2.shr_u(${add64(['sum', extendedProduct(`m${k}`, 'p0')])}, ${BITS})`)
    } else {
      lines.push(`  v128.store64_lane(out, ${pack('v128.and(sum, mask)')}, 0, ${8 * (k - LIMBS)})`)
      lines.push(`  sum = i64x2.shr_u(sum, ${BITS})`)
    }
    assertBelow(carry, 64n, `${name} column ${k}`)
    carry >>= BITS
  })
  lines.push(`  v128.store64_lane(out, ${pack('sum')}, 0, ${8 * (LIMBS - 1)})`, '}', '')
  return lines
}

const COLUMNS = Array.from({ length: 2 * LIMBS - 1 }, (_, k) => k)

/** Returns the pairs (i, j) of limbs whose product belongs to column `k`. */
function limbPairs(k: number): (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = []
  for (let i = Math.max(0, k - LIMBS + 1); i <= Math.min(LIMBS - 1, k); i++) pairs.push([i, k - i])
  return pairs
}

/**
 * out = a * b + c * d + ...: one reduction for all products (Longa, "Efficient algorithms for large prime
 * characteristic fields", 2022). The lanes collect a.re * b and, separately, a.im * (b.im, b.re). The real lane
 * subtracts the latter, over a multiple of the prime in the columns.
 */
function sumOfProducts(name: string, doc: string, count: number): string[] {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'].slice(0, 2 * count)
  const lines = open(name, names, doc)
  names.forEach((operand, index) => {
    const isLeft = index % 2 === 0
    for (let i = 0; i < LIMBS; i++) {
      const own = `${operand}${i}`
      if (isLeft) {
        lines.push(`  const ${own}: v128 = v128.load32_splat(${operand}, ${8 * i})`)
        lines.push(`  const ${own}i: v128 = v128.load32_splat(${operand}, ${8 * i + 4})`)
      } else {
        lines.push(`  const ${own}: v128 = ${pairAt(operand, i)}`)
        lines.push(`  const ${own}x: v128 = v128.shuffle<i32>(${own}, ${own}, 1, 0, 2, 2)`)
      }
    }
  })
  lines.push('  const sign: v128 = i64x2(-1, 0)')
  const most = COLUMNS.map((k) =>
    limbPairs(k).reduce((sum, [i, j]) => sum + BigInt(count) * at(LOOSE, i) * at(LOOSE, j), 0n),
  )
  const cover = multipleAbove(PRIME, most)
  const columns = COLUMNS.map((k) => {
    const added: string[] = []
    const crossed: string[] = []
    for (let n = 0; n < names.length; n += 2) {
      for (const [i, j] of limbPairs(k)) {
        added.push(extendedProduct(`${names[n]}${i}`, `${names[n + 1]}${j}`))
        crossed.push(extendedProduct(`${names[n]}${i}i`, `${names[n + 1]}${j}x`))
      }
    }
    // -x = (x ^ -1) + 1
    const negated = `v128.xor(${add64(crossed)}, sign)`
    const constant = `i64x2(${hex(at(cover, k) + 1n)}, 0)`
    return { terms: [...added, negated, constant], max: at(most, k) + at(cover, k) }
  })
  const total = BigInt(count) * totalOf(LOOSE) ** 2n
  lines.push(
    ...reduceColumns(name, total + (totalOf(cover) > total ? totalOf(cover) : total), columns),
  )
  return lines
}

/** out = a^2 = ((re + im) * (re - im), 2 * re * im). */
function square(): string[] {
  const lines = open('square', ['a'], 'out = a^2.')
  const cover = multipleAbove(PRIME, LOOSE)
  for (let i = 0; i < LIMBS; i++) {
    const own = `a${i}`
    // A load fills lanes 2 and 3 with zeros.
    const shuffled = (order: string) => `v128.shuffle<i32>(${own}, ${own}, ${order})`
    lines.push(`  const ${own}: v128 = ${pairAt('a', i)}`)
    lines.push(`  const x${i}: v128 = ${add32([shuffled('0, 0, 2, 2'), shuffled('1, 0, 2, 2')])}`)
    const difference = `i32x4.sub(${own}, ${shuffled('1, 2, 2, 2')})`
    lines.push(`  const y${i}: v128 = ${add32([difference, lanes32(at(cover, i), 0n)])}`)
  }
  const left = LOOSE.map((limb) => 2n * limb)
  const right = addBounds(LOOSE, cover)
  ;[...left, ...right].forEach((limb) => {
    assertBelow(limb, 32n, 'square')
  })
  const columns = COLUMNS.map((k) => ({
    terms: limbPairs(k).map(([i, j]) => extendedProduct(`x${i}`, `y${j}`)),
    max: limbPairs(k).reduce((sum, [i, j]) => sum + at(left, i) * at(right, j), 0n),
  }))
  return [...lines, ...reduceColumns('square', totalOf(left) * totalOf(right), columns)]
}

/** out = a * s, for s in Fp. */
function scale(): string[] {
  const lines = open('scale', ['a', 's'], 'out = a * s, for s in Fp.')
  for (let i = 0; i < LIMBS; i++) {
    lines.push(`  const a${i}: v128 = ${pairAt('a', i)}`)
    lines.push(`  const s${i}: v128 = v128.load32_splat(s, ${4 * i})`)
  }
  const columns = COLUMNS.map((k) => ({
    terms: limbPairs(k).map(([i, j]) => extendedProduct(`a${i}`, `s${j}`)),
    max: limbPairs(k).reduce((sum, [i, j]) => sum + at(LOOSE, i) * at(TIGHT, j), 0n),
  }))
  return [...lines, ...reduceColumns('scale', totalOf(LOOSE) * totalOf(TIGHT), columns)]
}

/** out = a + b, tight operands. Carries go one limb up, all at once, two limbs to a vector. */
function addLoose(): string[] {
  const lines = open('addLoose', ['a', 'b'], 'out = a + b, loose; both tight.')
  lines.push(`  const mask: v128 = ${splat32(MASK)}`)
  const last = (LIMBS - 1) / 2
  for (let i = 0; i <= last; i++) {
    const sum = add32([`v128.load(a, ${16 * i})`, `v128.load(b, ${16 * i})`])
    lines.push(`  const t${i}: v128 = ${sum}`)
    if (i < last) lines.push(`  const h${i}: v128 = i32x4.shr_u(t${i}, ${BITS})`)
  }
  for (let i = 0; i <= last; i++) {
    const own = i < last ? `v128.and(t${i}, mask)` : `t${i}`
    const below = i === 0 ? 'i32x4.splat(0)' : `h${i - 1}`
    // The last vector holds the top limb and four bytes of padding, which stay zero.
    const carried =
      i === last
        ? `v128.shuffle<i32>(h${i - 1}, i32x4.splat(0), 2, 3, 4, 4)`
        : `v128.shuffle<i32>(${below}, h${i}, 2, 3, 4, 5)`
    lines.push(`  v128.store(out, ${add32([own, carried])}, ${16 * i})`)
  }
  return [...lines, '}', '']
}

/**
 * Carries and reduces limbs that come as 64-bit lanes, none above `max`, as linearCombination does. The lanes have no
 * cheap signed shift, so each limb is raised by `BIAS`, which the next one subtracts.
 */
function reduceLimbs(name: string, max: Bound, text: (i: number) => string): string[] {
  const shift = 36n
  const bias = 1n << shift
  const back = 1n << (shift - BITS)
  const p = limbs(PRIME)
  const top = at(max, LIMBS - 1)
  proveQuotient(name, max, PRIME, QUOTIENT, TIGHT)
  assertBelow(top, 32n, `${name} top limb`)
  assertBelow(QUOTIENT.factor, 32n, 'quotient factor')
  if (((top * QUOTIENT.factor) >> QUOTIENT.shift) * MASK + back >= bias) {
    throw new RangeError(`${name}: the bias is too small`)
  }
  const scaled = extendedProduct(pack('top'), splat32(QUOTIENT.factor))
  const lines = [
    `  const mask: v128 = ${splat64(MASK)}`,
    `  const top: v128 = ${text(LIMBS - 1)}`,
    `  let q: v128 = i64x2.shr_u(${scaled}, ${QUOTIENT.shift})`,
    `  q = ${pack('q')}`,
  ]
  for (let i = 0; i < LIMBS - 1; i++) {
    const raised = [text(i), splat64(i === 0 ? bias : bias - back)]
    const limb = add64(i === 0 ? raised : ['sum', ...raised])
    const value = `i64x2.sub(${limb}, ${extendedProduct('q', splat32(at(p, i)))})`
    lines.push(`  ${i === 0 ? 'let sum: v128' : 'sum'} = ${value}`)
    lines.push(`  v128.store64_lane(out, ${pack('v128.and(sum, mask)')}, 0, ${8 * i})`)
    lines.push(`  sum = i64x2.shr_u(sum, ${BITS})`)
  }
  const multiple = extendedProduct('q', splat32(at(p, LIMBS - 1)))
  const rest = `i64x2.sub(i64x2.add(sum, top), ${add64([multiple, splat64(back)])})`
  lines.push(`  v128.store64_lane(out, ${pack(rest)}, 0, ${8 * (LIMBS - 1)})`, '}', '')
  return lines
}

/** Returns factor * value by shifts: a 32-bit vector product takes longer. */
function times(value: string, factor: bigint): string {
  const terms: string[] = []
  for (let bit = 0n; factor >> bit > 0n; bit++) {
    if (((factor >> bit) & 1n) === 0n) continue
    terms.push(bit === 0n ? value : `i32x4.shl(${value}, ${bit})`)
  }
  return add32(terms)
}

/** out = the sum of factor * operand, tight. */
function combination(
  name: string,
  doc: string,
  factors: Record<string, bigint>,
  loose = '',
): string[] {
  const terms: Term[] = Object.entries(factors).map(([operand, factor]) => ({
    operand: { name: operand, bound: operand === loose ? LOOSE : TIGHT },
    factor,
  }))
  const { cover, max } = coverTerms(terms, PRIME)
  max.forEach((limb) => {
    assertBelow(limb, 32n, name)
  })
  const text = (i: number): string => {
    const plus = terms.filter((term) => term.factor > 0n)
    const minus = terms.filter((term) => term.factor < 0n)
    const parts = plus.map((term) => times(pairAt(term.operand.name, i), term.factor))
    if (minus.length > 0) parts.push(splat32(at(cover, i)))
    const sum = minus.reduce(
      (rest, term) => `i32x4.sub(${rest}, ${times(pairAt(term.operand.name, i), -term.factor)})`,
      add32(parts),
    )
    return `i64x2.extend_low_i32x4_u(${sum})`
  }
  return [...open(name, Object.keys(factors), doc), ...reduceLimbs(name, max, text)]
}

/** out = xi * a = (9 * re - im, 9 * im + re). */
function multiplyByXi(): string[] {
  const [re, im] = XI
  if (im !== 1n) throw new RangeError('multiplyByXi: the imaginary part of xi is one')
  const cover = multipleAbove(PRIME, LOOSE)
  const max = LOOSE.map((limb, i) => re * limb + at(cover, i))
  const text = (i: number): string => {
    const crossed = `v128.xor(v128.shuffle<i32>(a${i}, a${i}, 1, 0, 2, 2), sign)`
    const negated = add32([crossed, lanes32(at(cover, i) + 1n, 0n)])
    return add64([extendedProduct(`a${i}`, splat32(re)), `i64x2.extend_low_i32x4_u(${negated})`])
  }
  const lines = open('multiplyByXi', ['a'], 'out = (9 + i) * a; a loose.')
  lines.push('  const sign: v128 = i32x4(-1, 0, 0, 0)')
  for (let i = 0; i < LIMBS; i++) lines.push(`  const a${i}: v128 = ${pairAt('a', i)}`)
  return [...lines, ...reduceLimbs('multiplyByXi', max, text)]
}

/** out = the conjugate of a, which is a^p. */
function conjugate(): string[] {
  const cover = multipleAbove(PRIME, TIGHT)
  const text = (i: number): string => {
    const flipped = `v128.xor(${pairAt('a', i)}, sign)`
    return `i64x2.extend_low_i32x4_u(${add32([flipped, lanes32(0n, at(cover, i) + 1n)])})`
  }
  return [
    ...open('conjugate', ['a'], 'out = a^p, the conjugate; a tight.'),
    '  const sign: v128 = i32x4(0, -1, 0, 0)',
    ...reduceLimbs('conjugate', addBounds(TIGHT, cover), text),
  ]
}

// Fp2: constants

function multiplyPairs([a, b]: Pair, [c, d]: Pair): Pair {
  return [modulo(a * c - b * d, PRIME), modulo(a * d + b * c, PRIME)]
}

function invertPair([a, b]: Pair): Pair {
  const inverse = invert(a * a + b * b, PRIME)
  return [modulo(a * inverse, PRIME), modulo(-b * inverse, PRIME)]
}

function power(base: Pair, exponent: bigint): Pair {
  let result: Pair = [1n, 0n]
  let factor = base
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = multiplyPairs(result, factor)
    factor = multiplyPairs(factor, factor)
  }
  return result
}

/** Returns an element in its memory layout: interleaved limbs of both parts, and eight bytes of padding. */
function interleave([re, im]: Pair): bigint[] {
  const imaginary = limbs(montgomery(im))
  return [...limbs(montgomery(re)).flatMap((limb, i) => [limb, at(imaginary, i)]), 0n, 0n]
}

/** Returns the digits of `value` in non-adjacent form, lowest first. */
function nonAdjacent(value: bigint): number[] {
  const result: number[] = []
  for (let rest = value; rest > 0n; rest >>= 1n) {
    const digit = (rest & 1n) === 0n ? 0 : 2 - Number(rest & 3n)
    rest -= BigInt(digit)
    result.push(digit)
  }
  return result
}

function digitTable(name: string, doc: string, value: bigint): string[] {
  const list = nonAdjacent(value)
  const lines = [`/** ${doc} */`, `export const ${name}_LENGTH: i32 = ${list.length}`]
  lines.push(`export const ${name}: usize = memory.data<i8>([`)
  for (let i = 0; i < list.length; i += 24) lines.push(`  ${list.slice(i, i + 24).join(', ')},`)
  return [...lines, '])', '']
}

export function bn254Quadratic(): string {
  const twist = multiplyPairs([3n, 0n], invertPair(XI))
  const powers = [1n, 2n, 3n, 4n, 5n].map((i) => power(XI, (i * (PRIME - 1n)) / 6n))
  return [
    BANNER,
    '//',
    '// Fp2 of BN254. A limb of the real part and that of the imaginary part are adjacent, so an',
    '// element is 18 words of 32 bits and two of padding, which are zero. "Tight" elements are carried',
    '// and below twice the prime: all results but those of `addLoose`. Products take loose operands.',
    '',
    ...sumOfProducts('multiply', 'out = a * b.', 1),
    ...sumOfProducts('sumOfTwo', 'out = a * b + c * d.', 2),
    ...sumOfProducts('sumOfThree', 'out = a * b + c * d + e * f.', 3),
    ...square(),
    ...scale(),
    ...addLoose(),
    ...multiplyByXi(),
    ...conjugate(),
    ...combination('add', 'out = a + b; both tight.', { a: 1n, b: 1n }),
    ...combination('subtract', 'out = a - b; both tight.', { a: 1n, b: -1n }),
    ...combination('subtractBoth', 'out = a - b - c; all tight.', { a: 1n, b: -1n, c: -1n }),
    ...combination('sumMinusTwice', 'out = a + b - 2 * c; all tight.', { a: 1n, b: 1n, c: -2n }),
    ...combination('twiceMinus', 'out = 2 * a - b; both tight.', { a: 2n, b: -1n }),
    ...combination(
      'thriceMinusTwice',
      'out = 3 * a - 2 * b; a loose, b tight.',
      { a: 3n, b: -2n },
      'a',
    ),
    ...combination('sixPlusTwice', 'out = 6 * a + 2 * b; both tight.', { a: 6n, b: 2n }),
    ...combination('negate', 'out = -a; a tight.', { a: -1n }),
    ...combination('thrice', 'out = 3 * a; a tight.', { a: 3n }),
    ...combination('quadruple', 'out = 4 * a; a tight.', { a: 4n }),
    ...data('ONE', 'u32', interleave([1n, 0n])),
    '/** The constant 3 / xi of the twist, and three times it. */',
    ...data('TWIST_B', 'u32', interleave(twist)),
    ...data('TWIST_B_BY_3', 'u32', interleave([3n * twist[0], 3n * twist[1]])),
    '/** xi^(i * (p - 1) / 6) for i = 1 to 5: the coefficients of the Frobenius map. */',
    ...data('FROBENIUS', 'u32', powers.flatMap(interleave)),
    ...digitTable('PARAMETER', 'Signed digits of u, the parameter of the curve, lowest first.', U),
    ...digitTable(
      'LOOP',
      'Signed digits of 6 * u + 2, the length of the optimal ate loop.',
      6n * U + 2n,
    ),
  ].join('\n')
}
