/**
 * Common parts of the generated field arithmetic: numbers in limbs, bounds of limbs, and the source text of
 * Montgomery products and linear combinations.
 */

export const LIMBS = 9
export const BITS = 29n
export const MASK = (1n << BITS) - 1n
export const MONTGOMERY_RADIX = 1n << (BITS * BigInt(LIMBS))

/** Largest value of each limb of an operand. */
export type Bound = readonly bigint[]

export const BANNER = '// Written by tools/generate-curves.ts; do not edit.'

// Integers

export function modulo(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus
  return rest < 0n ? rest + modulus : rest
}

export function invert(value: bigint, modulus: bigint): bigint {
  let [a, b, u, v] = [modulo(value, modulus), modulus, 1n, 0n]
  while (a !== 0n) {
    const quotient = b / a
    ;[a, b] = [b - quotient * a, a]
    ;[u, v] = [v - quotient * u, u]
  }
  return modulo(v, modulus)
}

export function digits(value: bigint, bits: bigint, count: number): bigint[] {
  const mask = (1n << bits) - 1n
  const result: bigint[] = []
  for (let i = 0; i < count; i++) result.push((value >> (bits * BigInt(i))) & mask)
  return result
}

/** Returns the value in limbs; the top limb takes the remainder. */
export function limbs(value: bigint): bigint[] {
  const result = digits(value, BITS, LIMBS)
  result[LIMBS - 1] = value >> (BITS * BigInt(LIMBS - 1))
  return result
}

export const hex = (value: bigint): string => `0x${value.toString(16)}`
export const at = (list: Bound, index: number): bigint => list[index] as bigint

export function assertBelow(value: bigint, bits: bigint, what: string): void {
  if (value >= 1n << bits)
    throw new RangeError(`${what}: ${hex(value)} needs more than ${bits} bits`)
}

export function totalOf(bound: Bound): bigint {
  return bound.reduce((sum, limb, i) => sum + (limb << (BITS * BigInt(i))), 0n)
}

/**
 * Returns a multiple of `prime` whose every limb is at least the limb of `floor`, so that subtracting never borrows.
 */
export function multipleAbove(prime: bigint, floor: Bound): bigint[] {
  const missing = limbs(modulo(-totalOf(floor), prime))
  return floor.map((limb, i) => limb + (missing[i] ?? 0n))
}

export function addBounds(a: Bound, b: Bound): bigint[] {
  return a.map((limb, i) => limb + at(b, i))
}

// Source text

export interface Operand {
  readonly name: string
  readonly bound: Bound
}

export type Product = readonly [Operand, Operand]

export interface Term {
  readonly operand: Operand
  readonly factor: bigint
}

export interface Column {
  readonly text: string
  readonly max: bigint
}

export const FULL: Bound = Array.from({ length: LIMBS }, () => MASK)

/** A reduced value below 2^256. */
export const REDUCED: Bound = [...FULL.slice(1), (1n << 24n) - 1n]

/** Returns column `k` of the sum of products. A square shares its mixed terms. */
export function column(products: readonly Product[], k: number, scale: bigint): Column {
  const terms: string[] = []
  let max = 0n
  for (const [a, b] of products) {
    const mixed: string[] = []
    for (let i = Math.max(0, k - LIMBS + 1); i <= Math.min(LIMBS - 1, k); i++) {
      const j = k - i
      max += at(a.bound, i) * at(b.bound, j)
      if (a !== b) terms.push(`${a.name}${i} * ${b.name}${j}`)
      else if (i === j) terms.push(`${a.name}${i} * ${a.name}${i}`)
      else if (i < j) mixed.push(`${a.name}${i} * ${a.name}${j}`)
    }
    if (mixed.length > 0) terms.push(`((${mixed.join(' + ')}) << 1)`)
  }
  const sum = terms.join(' + ')
  return { text: scale === 1n ? sum : `(${sum}) * ${scale}`, max: max * scale }
}

export function loads(products: readonly Product[]): string[] {
  const lines: string[] = []
  for (const { name } of new Set(products.flat())) {
    for (let i = 0; i < LIMBS; i++)
      lines.push(`  let ${name}${i}: u64 = load<u32>(${name}, ${4 * i})`)
  }
  return lines
}

export function header(name: string, operands: readonly Operand[], doc: string): string[] {
  const parameters = ['out', ...operands.map((operand) => operand.name)]
  return [
    `/** ${doc} */`,
    `export function ${name}(${parameters.map((p) => `${p}: usize`).join(', ')}): void {`,
  ]
}

/** out = the sum of products / 2^261 modulo `modulus` (Montgomery), below 2 * modulus. */
export function montgomeryProduct(
  name: string,
  doc: string,
  modulus: bigint,
  products: readonly Product[],
): string[] {
  const p = limbs(modulus)
  const radix = 1n << BITS
  const negativeInverse = radix - invert(modulus, radix)
  const sum = products.reduce((total, [a, b]) => total + totalOf(a.bound) * totalOf(b.bound), 0n)
  if (sum >= modulus * MONTGOMERY_RADIX) throw new RangeError(`${name}: result above 2 * modulus`)
  const lines = [...header(name, [...new Set(products.flat())], doc), ...loads(products)]
  let carry = 0n
  for (let k = 0; k <= 2 * LIMBS - 2; k++) {
    const { text, max } = column(products, k, 1n)
    let terms = text
    carry += max
    for (
      let i = Math.max(0, k - LIMBS + 1);
      i <= Math.min(LIMBS - 1, k - (k < LIMBS ? 1 : 0));
      i++
    ) {
      const limb = at(p, k - i)
      if (limb === 0n) continue
      terms += limb === 1n ? ` + m${i}` : ` + m${i} * ${hex(limb)}`
      carry += MASK * limb
    }
    lines.push(k === 0 ? `  let c: u64 = ${terms}` : `  c += ${terms}`)
    if (k < LIMBS) {
      const factor = negativeInverse === 1n ? 'c' : `(c * ${hex(negativeInverse)})`
      carry += MASK * at(p, 0)
      lines.push(`  let m${k}: u64 = ${factor} & ${hex(MASK)}`)
      lines.push(`  c = (c + m${k} * ${hex(at(p, 0))}) >> ${BITS}`)
    } else {
      lines.push(`  store<u32>(out, c & ${hex(MASK)}, ${4 * (k - LIMBS)})`, `  c >>= ${BITS}`)
    }
    assertBelow(carry, 64n, `${name} column ${k}`)
    carry >>= BITS
  }
  lines.push(`  store<u32>(out, c, ${4 * (LIMBS - 1)})`, '}', '')
  return lines
}

/** What a linear combination subtracts: floor(top * factor / 2^shift) times the prime. */
export interface Quotient {
  readonly factor: bigint
  readonly shift: bigint
}

/**
 * out = the sum of factor * operand modulo `prime`, with inputs and output within `bound`. The number of primes to
 * subtract is estimated from the top limb, never too high.
 */
export function linearCombination(
  name: string,
  doc: string,
  terms: readonly Term[],
  prime: bigint,
  quotient: Quotient,
  bound: Bound,
): string[] {
  const p = limbs(prime)
  const { cover, max } = coverTerms(terms, prime)
  proveQuotient(name, max, prime, quotient, bound)

  const sum = (i: number): string => {
    const parts = terms.map(({ operand, factor }) => {
      const size = factor < 0n ? -factor : factor
      const value = `(load<u32>(${operand.name}, ${4 * i}) as i64)`
      return `${factor < 0n ? '- ' : '+ '}${size === 1n ? '' : `${size} * `}${value}`
    })
    const text = parts.join(' ').replace(/^\+ /, '')
    return at(cover, i) === 0n ? text : `${hex(at(cover, i))} + ${text}`
  }
  const operands = terms.map((term) => term.operand)
  const scaled = quotient.factor === 1n ? 'top' : `(top * ${hex(quotient.factor)})`
  const lines = [
    ...header(name, operands, doc),
    `  let top: i64 = ${sum(LIMBS - 1)}`,
    `  const q = ${scaled} >> ${quotient.shift}`,
    '  let c: i64 = 0',
  ]
  for (let i = 0; i < LIMBS - 1; i++) {
    const multiple = at(p, i) === 0n ? '' : ` - q * ${hex(at(p, i))}`
    lines.push(`  c += ${sum(i)}${multiple}`)
    lines.push(`  store<u32>(out, (c as u32) & ${hex(MASK)}, ${4 * i})`, `  c >>= ${BITS}`)
  }
  lines.push(`  store<u32>(out, (top + c - q * ${hex(at(p, LIMBS - 1))}) as u32, 32)`, '}', '')
  return lines
}

/** Returns terms that keep every limb of the sum from going below zero, and the largest limbs with them. */
export function coverTerms(
  terms: readonly Term[],
  prime: bigint,
): { cover: bigint[]; max: bigint[] } {
  const below = FULL.map((_, i) =>
    terms.reduce((sum, t) => (t.factor < 0n ? sum - t.factor * at(t.operand.bound, i) : sum), 0n),
  )
  const above = FULL.map((_, i) =>
    terms.reduce((sum, t) => (t.factor > 0n ? sum + t.factor * at(t.operand.bound, i) : sum), 0n),
  )
  const cover = below.some((limb) => limb > 0n) ? multipleAbove(prime, below) : FULL.map(() => 0n)
  return { cover, max: addBounds(above, cover) }
}

/** Throws if limbs up to `max` minus the estimated multiple could be negative or above `bound`. */
export function proveQuotient(
  name: string,
  max: Bound,
  prime: bigint,
  { factor, shift }: Quotient,
  bound: Bound,
): void {
  const weight = 1n << (BITS * BigInt(LIMBS - 1) + shift)
  const excess = weight - factor * prime
  if (excess < 0n) throw new RangeError(`${name}: the quotient is too large`)
  const low = totalOf([...max.slice(0, LIMBS - 1), 0n])
  if (((at(max, LIMBS - 1) * excess) >> shift) + prime + low > totalOf(bound)) {
    throw new RangeError(`${name}: result above the bound`)
  }
}

export function data(name: string, type: string, values: readonly bigint[]): string[] {
  const lines = [`export const ${name}: usize = memory.data<${type}>([`]
  for (let i = 0; i < values.length; i += 9) {
    lines.push(
      `  ${values
        .slice(i, i + 9)
        .map(hex)
        .join(', ')},`,
    )
  }
  lines.push('])', '')
  return lines
}

/** Returns a modulus for inverse.ts: its nine 30-bit limbs, then its inverse modulo 2^30. */
export function inverseModulus(name: string, modulus: bigint): string[] {
  return data(name, 'u32', [...digits(modulus, 30n, LIMBS), invert(modulus, 1n << 30n)])
}
