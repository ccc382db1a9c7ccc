/**
 * Source text of secp256k1's field for four elements at once: twenty signed limbs of 13 bits, two of them
 * in each 32-bit lane, so that one `i32x4.dot_i16x8_s` is eight products of limbs, already added in pairs.
 *
 * A quad is ten vectors; vector m holds limbs 2m and 2m + 1 of elements 0 to 3. A column of a product
 * is at most twenty products and has to stay within an i32, which is proven here for every function.
 */
import { BANNER, data, digits, limbs } from './curve-source.ts'

const PRIME = 2n ** 256n - 2n ** 32n - 977n

const LIMBS = 20
const VECTORS = LIMBS / 2
const BITS = 13
const MASK = (1 << BITS) - 1
/** The top limb begins at bit 247, so it has nine bits of the 256. */
const TOP_BITS = 9

/** 2^260 = 1024 * 2^26 + 2 * 2^13 - 752 modulo 2^256 - 2^32 - 977. */
const FOLD = [-752, 2, 1024] as const
/** What limbs 38 and 39, from bit 494 up, are worth: bits 46, 14 and 238 of 2^494. */
const FOLD_TOP: readonly (readonly [limb: number, factor: number])[] = [
  [1, 2 * 977],
  [3, 128],
  [18, 16 * 977],
]

/** Largest size of a limb of an operand, a carried result or the difference of two; and of its top limb. */
const OPERAND = MASK + 16
const OPERAND_TOP = 1100
/** Of what is subtracted in the columns: the sum of two results. */
const SUBTRAHEND = 2 * OPERAND

const LANE_LIMIT = 2 ** 31

/** A basis of the lattice of pairs (a, b) with a + b * lambda = 0 modulo the order. */
const BASIS_1 = [0x3086d221a7d46bcde86c90e49284eb15n, -0xe4437ed6010e88286f547fa90abfe4c3n] as const
const BASIS_2 = [0x114ca50f7a8e2f3f657c1108d9d44cfd8n, 0x3086d221a7d46bcde86c90e49284eb15n] as const

type Pairing = (m: number, n: number) => string

interface Column {
  readonly terms: readonly string[]
  /** Largest size of their sum. */
  readonly size: number
}

const limbSize = (i: number): number => (i === LIMBS - 1 ? OPERAND_TOP : OPERAND)
const add = (terms: readonly string[]): string =>
  terms.reduce((sum, term) => `i32x4.add(${sum}, ${term})`)
const dot = (a: string, b: string): string => `i32x4.dot_i16x8_s(${a}, ${b})`
const pair = (low: number, high: number): string =>
  `i16x8(${Array.from({ length: 4 }, () => `${low}, ${high}`).join(', ')})`
/** The low halves of the lanes of `low` and the high halves of those of `high`. */
const blend = (low: string, high: string): string =>
  `v128.shuffle<i16>(${low}, ${high}, 0, 9, 2, 11, 4, 13, 6, 15)`
const swap = (a: string): string => `v128.shuffle<i16>(${a}, ${a}, 1, 0, 3, 2, 5, 4, 7, 6)`

function assertLane(size: number, what: string): number {
  if (size >= LANE_LIMIT) throw new RangeError(`${what}: ${size} needs more than 32 bits`)
  return size
}

function columnSize(k: number): number {
  let size = 0
  for (let i = Math.max(0, k - LIMBS + 1); i <= Math.min(LIMBS - 1, k); i++) {
    size += limbSize(i) * limbSize(k - i)
  }
  return size
}

function loads(name: string): string[] {
  return Array.from({ length: VECTORS }, (_, m) => {
    return `  const ${name}${m} = v128.load(${name}, ${16 * m})`
  })
}

/** `s`: limbs 2m + 1 and 2m of `name`; `e`: limbs 2m and 2m - 1. */
function pairings(name: string): string[] {
  const lines = Array.from({ length: VECTORS }, (_, m) => `  const s${m} = ${swap(`${name}${m}`)}`)
  lines.push(`  const e0 = v128.and(${name}0, ${pair(-1, 0)})`)
  for (let m = 1; m < VECTORS; m++) {
    lines.push(`  const e${m} = ${blend(`${name}${m}`, `${name}${m - 1}`)}`)
  }
  lines.push(`  const e${VECTORS} = v128.and(${name}${VECTORS - 1}, ${pair(0, -1)})`)
  return lines
}

/** Terms of column `k`: pairs of limbs of one operand with the pair of the other that meets it there. */
function terms(k: number, term: Pairing): string[] {
  const n = k >> 1
  const last = k % 2 === 1 ? VECTORS - 1 : VECTORS
  const result: string[] = []
  for (let m = Math.max(0, n - last); m <= Math.min(VECTORS - 1, n); m++) {
    const text = term(m, n - m)
    if (text !== '') result.push(text)
  }
  return result
}

function productColumn(k: number): Column {
  const other = k % 2 === 1 ? 's' : 'e'
  return { terms: terms(k, (m, n) => dot(`a${m}`, `${other}${n}`)), size: columnSize(k) }
}

/**
 * Mixed products come twice, so half of the pairs do, doubled (`d`). The pair in the middle of an odd
 * column holds one product twice; an even column ends with a square, alone (`l`: only limb 2m) or beside
 * a mixed product (`h`: limb 2m doubled, limb 2m + 1 not).
 */
function squareColumn(k: number): Column {
  const n = k >> 1
  const term = (m: number, rest: number): string => {
    if (k % 2 === 1) {
      if (2 * m < n) return dot(`d${m}`, `s${rest}`)
      return 2 * m === n ? dot(`a${m}`, `s${rest}`) : ''
    }
    if (2 * m + 1 < n) return dot(`d${m}`, `e${rest}`)
    if (2 * m + 1 === n) return dot(`h${m}`, `e${rest}`)
    return 2 * m === n ? dot(`l${m}`, `e${rest}`) : ''
  }
  return { terms: terms(k, term), size: columnSize(k) }
}

function squareForms(): string[] {
  const lines: string[] = []
  for (let m = 0; m < VECTORS; m++) {
    lines.push(`  const d${m} = i16x8.add(a${m}, a${m})`)
    lines.push(`  const l${m} = v128.and(a${m}, ${pair(-1, 0)})`)
    lines.push(`  const h${m} = i16x8.add(a${m}, l${m})`)
  }
  return lines
}

/** Columns 20 to 38, carried and in pairs: q0 to q9. The top limb keeps its sign. */
function highHalf(name: string, column: (k: number) => Column): string[] {
  const lines = ['  let t: v128', '  let u: v128', `  const mask = ${pair(MASK, MASK)}`]
  let size = 0
  const sum = (k: number): string => {
    const { terms: all, size: own } = column(k)
    const carry = k === LIMBS ? [] : [`i32x4.shr_s(${k % 2 === 0 ? 'u' : 't'}, ${BITS})`]
    size = assertLane(own + size / 2 ** BITS + 1, `${name} column ${k}`)
    return add([...all, ...carry])
  }
  for (let m = 0; m < VECTORS - 1; m++) {
    const k = LIMBS + 2 * m
    lines.push(`  t = ${sum(k)}`, `  u = ${sum(k + 1)}`)
    lines.push(`  const q${m} = v128.and(${blend('t', 'i32x4.shl(u, 16)')}, mask)`)
  }
  lines.push(`  t = ${sum(2 * LIMBS - 2)}`)
  const top = size / 2 ** BITS + 1
  if (top > OPERAND) throw new RangeError(`${name}: the top limb needs more than 14 bits`)
  lines.push(
    `  const q9 = v128.and(${blend('t', `i32x4.shl(i32x4.shr_s(t, ${BITS}), 16)`)}, ${pair(MASK, -1)})`,
  )
  return lines
}

/** What the high half adds to column `k`. */
function folded(k: number): Column {
  const [low, middle, high] = FOLD
  const m = k >> 1
  const products: string[] = []
  let size = 0
  const push = (index: number, first: number, second: number) => {
    if (index < 0 || index >= VECTORS - 1 || (first === 0 && second === 0)) return
    products.push(dot(`q${index}`, pair(first, second)))
    size += (Math.abs(first) + Math.abs(second)) * OPERAND
  }
  if (k % 2 === 0) {
    push(m, low, 0)
    push(m - 1, high, middle)
  } else {
    push(m, middle, low)
    push(m - 1, 0, high)
  }
  for (const [limb, factor] of FOLD_TOP) {
    if (k !== limb && k !== limb + 1) continue
    products.push(dot('q9', k === limb ? pair(factor, 0) : pair(0, factor)))
    size += factor * OPERAND
  }
  return { terms: products, size }
}

function lowHalf(name: string, column: (k: number) => Column, subtrahend: boolean): string[] {
  const lines: string[] = []
  let size = 0
  for (let k = 0; k < LIMBS; k++) {
    const own = column(k)
    const fold = folded(k)
    const all = [...own.terms, ...fold.terms]
    if (k > 0) all.push(`i32x4.shr_s(r${k - 1}, ${BITS})`)
    size = own.size + fold.size + size / 2 ** BITS + 1
    if (subtrahend) {
      const factors = k % 2 === 0 ? pair(-1, 0) : pair(0, -1)
      all.push(dot(`v128.load(c, ${16 * (k >> 1)})`, factors))
      size += SUBTRAHEND
    }
    assertLane(size, `${name} column ${k}`)
    lines.push(`  let r${k} = ${add(all)}`)
  }
  // Bits from 256 up go back to limbs 0 and 2: 2^256 = 64 * 2^26 + 977.
  const over = size / 2 ** TOP_BITS
  const overHigh = over / 2 ** BITS + 1
  if (overHigh > OPERAND) throw new RangeError(`${name}: the last fold is too large`)
  const first = MASK + 977 * MASK
  const second = MASK + 977 * overHigh + first / 2 ** BITS
  const third = MASK + 64 * MASK + second / 2 ** BITS
  const fourth = MASK + 64 * overHigh + third / 2 ** BITS
  if (MASK + fourth / 2 ** BITS + 1 > OPERAND) throw new RangeError(`${name}: limb 4 too large`)
  const mask32 = `i32x4.splat(${MASK})`
  lines.push(
    `  t = i32x4.shr_s(r19, ${TOP_BITS})`,
    `  u = i32x4.shr_s(t, ${BITS})`,
    `  t = v128.and(t, ${mask32})`,
    `  r19 = v128.and(r19, i32x4.splat(${(1 << TOP_BITS) - 1}))`,
    `  r0 = i32x4.add(v128.and(r0, ${mask32}), ${dot('t', pair(977, 0))})`,
    `  r1 = ${add([`v128.and(r1, ${mask32})`, dot('u', pair(977, 0)), `i32x4.shr_s(r0, ${BITS})`])}`,
    `  r2 = ${add([`v128.and(r2, ${mask32})`, 'i32x4.shl(t, 6)', `i32x4.shr_s(r1, ${BITS})`])}`,
    `  r3 = ${add([`v128.and(r3, ${mask32})`, 'i32x4.shl(u, 6)', `i32x4.shr_s(r2, ${BITS})`])}`,
    `  r4 = i32x4.add(v128.and(r4, ${mask32}), i32x4.shr_s(r3, ${BITS}))`,
  )
  for (let m = 0; m < VECTORS; m++) {
    // Limb 4 has been carried into and keeps what is above 13 bits, or its sign.
    const kept = m === 2 ? pair(-1, MASK) : 'mask'
    const value = `v128.and(${blend(`r${2 * m}`, `i32x4.shl(r${2 * m + 1}, 16)`)}, ${kept})`
    lines.push(`  v128.store(out, ${value}, ${16 * m})`)
  }
  lines.push('}', '')
  return lines
}

function product(name: string, doc: string, isSquare: boolean, subtrahend: boolean): string[] {
  const parameters = ['out', 'a', ...(isSquare ? [] : ['b']), ...(subtrahend ? ['c'] : [])]
  const column = isSquare ? squareColumn : productColumn
  return [
    `/** ${doc} */`,
    `export function ${name}(${parameters.map((p) => `${p}: usize`).join(', ')}): void {`,
    ...loads('a'),
    ...(isSquare ? [...pairings('a'), ...squareForms()] : [...loads('b'), ...pairings('b')]),
    ...highHalf(name, column),
    ...lowHalf(name, column, subtrahend),
  ]
}

/** What makes both halves of a scalar odd, by the parities of them (that of the second twice). */
function oddSteps(): string[] {
  const [a1, b1] = BASIS_1
  const [a2, b2] = BASIS_2
  const steps = [a1, b1, a2, b2, a1 - a2, b1 - b2, 0n, 0n]
  const parities = [3, 2, 1, 0]
  parities.forEach((missing, i) => {
    const found =
      Number((steps[2 * i] as bigint) & 1n) + 2 * Number((steps[2 * i + 1] as bigint) & 1n)
    if (found !== missing) throw new RangeError(`step ${i} of the lattice has parities ${found}`)
  })
  const signedLimbs = (value: bigint): bigint[] => {
    const size = value < 0n ? -value : value
    return digits(size, 29n, 5).map((limb) => BigInt.asUintN(32, value < 0n ? -limb : limb))
  }
  return data('ODD_STEPS', 'u32', steps.flatMap(signedLimbs))
}

/** Four elements of secp256k1's field at once. */
export function secp256k1Lanes(): string {
  return [
    BANNER,
    '//',
    '// Four elements: ten vectors, limbs 2m and 2m + 1 (13 bits) of each in the lanes of vector m. Results',
    '// are below 2^256 and a little, their limbs carried; operands may be differences of two such.',
    '',
    ...product('multiply', 'out = a * b.', false, false),
    ...product('multiplyMinus', 'out = a * b - c; c may be a sum of two.', false, true),
    ...product('square', 'out = a^2.', true, false),
    ...product('squareMinus', 'out = a^2 - c; c may be a sum of two.', true, true),
    '/** For the parities of two halves (k1 | k2 << 1) the vector that makes both odd and their scalar no other:',
    ' * five signed limbs of 29 bits for each. */',
    ...oddSteps(),
    '/** 3 / 2 modulo the prime, in nine limbs of 29 bits. */',
    ...data('THREE_HALVES', 'u32', limbs((PRIME + 3n) / 2n)),
    '/** -2, likewise. */',
    ...data('MINUS_TWO', 'u32', limbs(PRIME - 2n)),
    '/** Twice the prime, likewise. */',
    ...data('TWICE_PRIME', 'u32', limbs(2n * PRIME)),
  ].join('\n')
}
