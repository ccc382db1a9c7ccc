/**
 * Source text of secp256k1's field for four elements at once: twenty signed limbs of 13 bits, two of them in each
 * 32-bit lane, so that one `i32x4.dot_i16x8_s` is eight products of limbs, already added in pairs.
 *
 * A quad is ten vectors; vector m holds limbs 2m and 2m + 1 of elements 0 to 3. A column of a product is at most
 * twenty products and must stay within an i32. This is proven here for every function.
 */
import { BANNER, data, limbs } from './curve-source.ts'

const PRIME = 2n ** 256n - 2n ** 32n - 977n

const LIMBS = 20
const VECTORS = LIMBS / 2
const HALF = VECTORS / 2
const BITS = 13
const MASK = (1 << BITS) - 1
/** The top limb begins at bit 247, so it has nine bits of the 256. */
const TOP_BITS = 9

/** 2^260 = 1024 * 2^26 + 15632 modulo 2^256 - 2^32 - 977. */
const FOLD = 16 * 977
const FOLD_SECOND = 1024
/** Value of limbs 38 and 39, 1024 times, two limbs up: 2^270 is 2 * 977 * 2^13 + 128 * 2^39. */
const FOLD_TOP = 2 * 977
const FOLD_TOP_SECOND = 128

/** Largest size of a limb of an operand, a carried result or the difference of two; and of its top limb. */
const OPERAND = MASK + 16
const OPERAND_TOP = 1100
/** The same for a subtrahend in the columns: the sum of two results. */
const SUBTRAHEND = 2 * OPERAND

const LANE_LIMIT = 2 ** 31

/** a + b * omega with omega^2 + omega + 1 = 0, as for lambda modulo the order: an Eisenstein integer. */
type Eisenstein = readonly [a: number, b: number]

/**
 * One of each six digits that units (powers of -omega) map to each other, in the order of
 * assembly/curve/lanes/tables.ts. With those units they cover every class modulo 8, each with its smallest member,
 * except 8 itself for 0.
 */
const DIGITS: readonly Eisenstein[] = [
  [1, 0],
  [2, 0],
  [1, -1],
  [3, 0],
  [4, 0],
  [2, -1],
  [3, 1],
  [2, -2],
  [8, 0],
  [4, 1],
  [3, -1],
  [5, 2],
]

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
const difference = (a: string, b: string): string => `i16x8.sub(${a}, ${b})`
/** Constants of the functions, as 32-bit lanes. */
const constants: number[] = []
/**
 * The pair in every lane. It is loaded at each use: V8 makes a constant with two vector operations, which all compete
 * for the same three ports, and has no register left to keep it in.
 */
const pair = (low: number, high: number): string => {
  const lane = ((low & 0xffff) | (high << 16)) >>> 0
  if (!constants.includes(lane)) constants.push(lane)
  return `v128.load(CONSTANTS, ${16 * constants.indexOf(lane)})`
}
/** The low halves of the lanes of `low` and the high halves of those of `high`. */
const blend = (low: string, high: string): string =>
  `v128.shuffle<i16>(${low}, ${high}, 0, 9, 2, 11, 4, 13, 6, 15)`
const swap = (a: string): string =>
  `v128.swizzle(${a}, i8x16(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13))`

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
function pairings(name: string, count = VECTORS, s = 's', e = 'e'): string[] {
  const lines = Array.from({ length: count }, (_, m) => `  const ${s}${m} = ${swap(`${name}${m}`)}`)
  lines.push(`  const ${e}0 = v128.and(${name}0, ${pair(-1, 0)})`)
  for (let m = 1; m < count; m++) {
    lines.push(`  const ${e}${m} = ${blend(`${name}${m}`, `${name}${m - 1}`)}`)
  }
  lines.push(`  const ${e}${count} = v128.and(${name}${count - 1}, ${pair(0, -1)})`)
  return lines
}

/**
 * Returns the terms of column `k` of a product of `vectors` vectors by as many: pairs of limbs of one operand with
 * the matching pair of the other.
 */
function terms(k: number, vectors: number, term: Pairing): string[] {
  const n = k >> 1
  const last = k % 2 === 1 ? vectors - 1 : vectors
  const result: string[] = []
  for (let m = Math.max(0, n - last); m <= Math.min(vectors - 1, n); m++) {
    const text = term(m, n - m)
    if (text !== '') result.push(text)
  }
  return result
}

const load = (name: string, index: number): string => `v128.load(${name}, ${16 * index})`
const store = (name: string, index: number, value: string): string =>
  `  v128.store(${name}, ${value}, ${16 * index})`

/** The columns of the product of two vectors of halves, `x` and `z`: the odd ones first, which need five of `s`. */
function halfProduct(x: string, z: string, sink: (k: number, sum: string) => string[]): string[] {
  const [s, e] = [`s${z}`, `e${z}`]
  const all = Array.from({ length: LIMBS - 1 }, (_, k) => k)
  const column = (k: number): string[] => {
    const other = k % 2 === 1 ? s : e
    return sink(k, add(terms(k, HALF, (m, n) => dot(`${x}${m}`, `${other}${n}`))))
  }
  return [
    ...pairings(z, HALF, s, e),
    ...all.filter((k) => k % 2 === 1).flatMap(column),
    ...all.filter((k) => k % 2 === 0).flatMap(column),
  ]
}

/**
 * The columns of a product, in memory, from three products of halves (Karatsuba). With a = x + X * y and b = z + X *
 * w it is `lo` + X * (`lo` + `hi` + `mi`) + X^2 * `hi`; `lo` = x * z, `hi` = y * w and `mi` = (x - y) * (w - z). 165
 * dot products and 155 sums replace 210 and 171, for 22 more shuffles and differences. Intermediate sums may exceed
 * 32 bits: they wrap, and the columns of the whole do not.
 *
 * Columns of `lo` above the tenth that meet those of `hi` below it are added once (SHARED). A compiler with sixteen
 * registers would spill the values that this keeps in memory explicitly, and more if it chose itself.
 */
function productColumns(): string[] {
  if (2 * OPERAND >= 2 ** 15) throw new RangeError('a difference of halves needs more than 16 bits')
  assertLane(2 * (2 * OPERAND) ** 2, 'a pair of products of differences')
  const half = LIMBS / 2
  const vectors = (name: string, value: (m: number) => string): string[] =>
    Array.from({ length: HALF }, (_, m) => `  const ${name}${m} = ${value(m)}`)
  return [
    ...vectors('x', (m) => load('a', m)),
    ...vectors('z', (m) => load('b', m)),
    ...halfProduct('x', 'z', (k, sum) => [
      k < half ? store('COLUMNS', k, sum) : store('SHARED', k - half, sum),
    ]),
    ...vectors('y', (m) => load('a', m + HALF)),
    ...vectors('w', (m) => load('b', m + HALF)),
    ...halfProduct('y', 'w', (k, sum) => [
      k < half - 1
        ? store('SHARED', k, add([sum, load('SHARED', k)]))
        : store('COLUMNS', LIMBS + k, sum),
    ]),
    ...vectors('g', (m) => difference(load('a', m), load('a', m + HALF))),
    ...vectors('v', (m) => difference(load('b', m + HALF), load('b', m))),
    ...halfProduct('g', 'v', (k, sum) => {
      const meets =
        k < half - 1
          ? [load('SHARED', k), load('COLUMNS', k)]
          : k < half
            ? [load('COLUMNS', k), load('COLUMNS', LIMBS + k)]
            : [load('SHARED', k - half), load('COLUMNS', LIMBS + k)]
      return [store('COLUMNS', half + k, add([sum, ...meets]))]
    }),
  ]
}

function productColumn(k: number): Column {
  return { terms: [load('COLUMNS', k)], size: columnSize(k) }
}

/**
 * Mixed products come twice, so half of the pairs are used, doubled (`d`). The middle pair of an odd column holds one
 * product twice. An even column ends with a square beside a mixed product. If that is the square of limb 2m, the
 * product comes once more in the pair before. So there, and beside a square of limb 2m + 1, only the other limb of
 * the pair is doubled (`h`: limb 2m).
 */
function squareColumn(k: number): Column {
  const n = k >> 1
  const term = (m: number, rest: number): string => {
    if (2 * m > n) return ''
    if (k % 2 === 1) return dot(2 * m < n ? `d${m}` : `a${m}`, `s${rest}`)
    // In the last column the pair holds only the square.
    if (2 * m === n || k === 2 * LIMBS - 2) return dot(`a${m}`, `e${rest}`)
    return dot(2 * m + 2 < n ? `d${m}` : `h${m}`, `e${rest}`)
  }
  return { terms: terms(k, VECTORS, term), size: columnSize(k) }
}

function squareForms(): string[] {
  return Array.from({ length: VECTORS - 1 }, (_, m) => [
    `  const d${m} = i16x8.add(a${m}, a${m})`,
    `  const h${m} = ${blend(`d${m}`, `a${m}`)}`,
  ]).flat()
}

/**
 * Columns 20 to 38, carried, each beside the one two below: `q0` to `q19`. The low half of a lane is that limb of the
 * high half of the product, and the high half of a lane is limb k - 2. The top limb keeps its sign.
 */
function highHalf(name: string, column: (k: number) => Column): string[] {
  const lines = ['  let t: v128', '  let u: v128']
  let size = 0
  for (let k = 0; k < LIMBS - 1; k++) {
    const { terms: all, size: own } = column(LIMBS + k)
    const carry = k === 0 ? [] : [`i32x4.shr_s(c${k - 1}, ${BITS})`]
    size = assertLane(own + size / 2 ** BITS + 1, `${name} column ${LIMBS + k}`)
    lines.push(`  const c${k} = ${add([...all, ...carry])}`)
  }
  const top = size / 2 ** BITS + 1
  if (top > OPERAND) throw new RangeError(`${name}: the top limb needs more than 14 bits`)
  lines.push(`  const c${LIMBS - 1} = i32x4.shr_s(c${LIMBS - 2}, ${BITS})`)
  for (let k = 0; k < LIMBS; k++) {
    // Limb 1 has no limb two below, so limb 18 stands beside it. Limb 19 stands beside its value there.
    if (k === 0) lines.push(`  const q0 = v128.and(c0, ${pair(MASK, 0)})`)
    else {
      const below = k === 1 ? LIMBS - 2 : k - 2
      const kept = k === LIMBS - 1 ? pair(-1, MASK) : pair(MASK, MASK)
      lines.push(`  const q${k} = v128.and(${blend(`c${k}`, `i32x4.shl(c${below}, 16)`)}, ${kept})`)
    }
  }
  return lines
}

/** Returns what the high half adds to column `k`. */
function folded(k: number): Column {
  const beside = k === 0 ? 0 : k === 1 ? FOLD_TOP : FOLD_SECOND
  const products = [dot(`q${k}`, pair(FOLD, beside))]
  let size = (FOLD + beside) * OPERAND
  const top: Readonly<Record<number, string>> = {
    2: dot(`c${LIMBS - 1}`, pair(FOLD_TOP, 0)),
    3: dot('q1', pair(0, FOLD_TOP_SECOND)),
    4: dot(`c${LIMBS - 1}`, pair(FOLD_TOP_SECOND, 0)),
  }
  if (top[k] !== undefined) {
    products.push(top[k])
    size += FOLD_TOP * OPERAND
  }
  return { terms: products, size }
}

function lowHalf(name: string, column: (k: number) => Column, subtrahend: boolean): string[] {
  const lines: string[] = []
  const raw = (k: number): Column => {
    const own = column(k)
    const fold = folded(k)
    const all = [...own.terms, ...fold.terms]
    if (!subtrahend) return { terms: all, size: own.size + fold.size }
    const factors = k % 2 === 0 ? pair(-1, 0) : pair(0, -1)
    all.push(dot(`v128.load(c, ${16 * (k >> 1)})`, factors))
    return { terms: all, size: own.size + fold.size + SUBTRAHEND }
  }
  // The bits of the top three columns above 2^256 return to limbs 0 to 3 before the carries: 2^256 is 64 * 2^26 +
  // 977. The carry out of the columns below changes the top limb by a few, which it keeps.
  let over = 0
  for (let k = LIMBS - 3; k < LIMBS; k++) {
    const { terms: all, size } = raw(k)
    over = assertLane(size + over / 2 ** BITS + 1, `${name} column ${k}`)
    lines.push(`  let r${k} = ${add(all)}`)
  }
  over = over / 2 ** TOP_BITS + 1
  const overHigh = over / 2 ** BITS + 1
  if (overHigh > OPERAND) throw new RangeError(`${name}: the last fold is too large`)
  lines.push(
    `  t = i32x4.add(r${LIMBS - 2}, i32x4.shr_s(r${LIMBS - 3}, ${BITS}))`,
    `  t = i32x4.add(r${LIMBS - 1}, i32x4.shr_s(t, ${BITS}))`,
    `  t = i32x4.shr_s(t, ${TOP_BITS})`,
    `  r${LIMBS - 1} = i32x4.sub(r${LIMBS - 1}, i32x4.shl(t, ${TOP_BITS}))`,
    `  u = i32x4.shr_s(t, ${BITS})`,
    `  t = v128.and(t, ${pair(MASK, 0)})`,
  )
  const overTerms: readonly Column[] = [
    { terms: [dot('t', pair(977, 0))], size: 977 * MASK },
    { terms: [dot('u', pair(977, 0))], size: 977 * overHigh },
    { terms: ['i32x4.shl(t, 6)'], size: 64 * MASK },
    { terms: ['i32x4.shl(u, 6)'], size: 64 * overHigh },
  ]
  let size = 0
  let unexpected = 0
  for (let k = 0; k < LIMBS; k++) {
    const carry = k === 0 ? [] : [`i32x4.shr_s(r${k - 1}, ${BITS})`]
    const incoming = size / 2 ** BITS + 1
    if (k < LIMBS - 3) {
      const own = raw(k)
      const back = overTerms[k] ?? { terms: [], size: 0 }
      size = assertLane(own.size + back.size + incoming, `${name} column ${k}`)
      lines.push(`  const r${k} = ${add([...own.terms, ...back.terms, ...carry])}`)
    } else {
      if (k === LIMBS - 3) unexpected = incoming
      unexpected = unexpected / 2 ** BITS + 1
      size = assertLane(raw(k).size + incoming, `${name} column ${k}`)
      lines.push(`  r${k} = ${add([`r${k}`, ...carry])}`)
    }
  }
  if (2 * (2 ** TOP_BITS + unexpected) > OPERAND_TOP) {
    throw new RangeError(`${name}: the top limb of a result is too large`)
  }
  for (let m = 0; m < VECTORS; m++) {
    const kept = m === VECTORS - 1 ? pair(MASK, -1) : pair(MASK, MASK)
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
    ...(isSquare ? [...loads('a'), ...pairings('a'), ...squareForms()] : productColumns()),
    ...highHalf(name, column),
    ...lowHalf(name, column, subtrahend),
  ]
}

/** For each class modulo 8 (a + 8 * b) its digit: a, b (bytes), its code (assembly/curve/lanes/scalars.ts, DIGITS). */
function digitsOfClasses(): string[] {
  const norm = ([a, b]: Eisenstein): number => a * a - a * b + b * b
  const found: { digit: Eisenstein; code: number }[] = []
  DIGITS.forEach((multiple, entry) => {
    let digit = multiple
    for (const unit of [0, 2, 3]) {
      for (const sign of [1, -1]) {
        const [a, b] = [sign * digit[0], sign * digit[1]]
        const at = (a & 7) + 8 * (b & 7)
        const known = found[at]
        if (known !== undefined && norm(known.digit) <= norm([a, b])) continue
        found[at] = { digit: [a, b], code: (entry << 2) | unit | (sign < 0 ? 0x8000 : 0) }
      }
      digit = [-digit[1], digit[0] - digit[1]]
    }
  })
  const values = Array.from({ length: 64 }, (_, at) => {
    if (found[at] === undefined) throw new RangeError(`no digit for class ${at}`)
    const { digit, code } = found[at]
    return BigInt(((digit[0] & 0xff) | ((digit[1] & 0xff) << 8) | (code << 16)) >>> 0)
  })
  return data('CLASS_DIGITS', 'u32', values)
}

/** Returns the source for four elements of secp256k1's field at once. */
export function secp256k1Lanes(): string {
  const functions = [
    ...product('multiply', 'out = a * b.', false, false),
    ...product('multiplyMinus', 'out = a * b - c; c may be a sum of two.', false, true),
    ...product('square', 'out = a^2.', true, false),
    ...product('squareMinus', 'out = a^2 - c; c may be a sum of two.', true, true),
  ]
  const lanes = constants.flatMap((lane) => Array.from({ length: 4 }, () => BigInt(lane)))
  return [
    BANNER,
    '//',
    '// Four elements: ten vectors, limbs 2m and 2m + 1 (13 bits) of each in the lanes of vector m. Results',
    '// are slightly above 2^256 at most, their limbs carried; operands may be differences of two results.',
    '',
    ...data('CONSTANTS', 'u32', lanes).map((line) => (line === '])' ? '], 16)' : line)),
    `const COLUMNS: usize = memory.data(${16 * (2 * LIMBS - 1)}, 16)`,
    `const SHARED: usize = memory.data(${16 * (LIMBS / 2 - 1)}, 16)`,
    '',
    ...functions,
    '/** For each class of Eisenstein integers modulo 8 (a + 8 * b) its digit: a, b (a byte each), its code (16 bits). */',
    ...digitsOfClasses(),
    '/** 3 / 2 modulo the prime, in nine limbs of 29 bits. */',
    ...data('THREE_HALVES', 'u32', limbs((PRIME + 3n) / 2n)),
    '/** -2, likewise. */',
    ...data('MINUS_TWO', 'u32', limbs(PRIME - 2n)),
    '/** Twice the prime, likewise. */',
    ...data('TWICE_PRIME', 'u32', limbs(2n * PRIME)),
  ].join('\n')
}
