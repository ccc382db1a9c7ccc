/**
 * Writes assembly/u256/generated/: the product of two words modulo a third, by Barrett's reduction (Handbook of
 * Applied Cryptography, 14.42) in limbs of 29 bits, unrolled. node tools/generate-u256.ts [--check]
 */
import { writeGenerated } from './generated-files.ts'

const BITS = 29
const MASK = `0x${((1 << BITS) - 1).toString(16)}`
/** Limbs of a word, and of the reciprocal floor(2^522 / modulus). */
const LIMBS = 9
const RECIPROCAL_LIMBS = 10
/** Omitted columns of the quotient's product: together they are below 2^-25 of its last limb. */
const SKIPPED = 8

const indices = (count: number): number[] => [...Array(count).keys()]

/** Returns the sum of a_i * b_j over i + j = k. */
function column(k: number, a: string, countA: number, b: string, countB: number): string {
  return indices(countA)
    .filter((i) => k - i >= 0 && k - i < countB)
    .map((i) => `${a}${i} * ${b}${k - i}`)
    .join(' + ')
}

/** Returns the limbs of the word at `name`. */
function unpack(name: string): string[] {
  const words = indices(4).map((i) => `  const ${name}w${i} = load<u64>(${name}, ${8 * i})`)
  const limbs = indices(LIMBS).map((i) => {
    const word = Math.floor((i * BITS) / 64)
    const shift = (i * BITS) % 64
    const low = shift === 0 ? `${name}w${word}` : `(${name}w${word} >> ${shift})`
    const isSplit = shift + BITS > 64 && word < 3
    const text = isSplit ? `(${low} | (${name}w${word + 1} << ${64 - shift}))` : low
    return `  const ${name}${i} = ${i === LIMBS - 1 ? text : `${text} & ${MASK}`}`
  })
  return [...words, ...limbs]
}

/** Returns words of 64 bits each from the limbs r0 to r8; the fifth has the bits above 2^256. */
function pack(): string[] {
  return indices(5).map((word) => {
    const parts = indices(LIMBS)
      .map((i) => ({ i, shift: i * BITS - 64 * word }))
      .filter(({ shift }) => shift > -BITS && shift < 64)
      .map(({ i, shift }) => {
        if (shift === 0) return `r${i}`
        return shift > 0 ? `(r${i} << ${shift})` : `(r${i} >> ${-shift})`
      })
    return `  const w${word} = ${parts.join(' | ')}`
  })
}

function product(): string[] {
  const lines = ['  let sum: u64 = 0']
  const last = 2 * LIMBS - 2
  for (const k of indices(last + 1)) {
    lines.push(`  sum += ${column(k, 'a', LIMBS, 'b', LIMBS)}`)
    lines.push(`  const x${k} = sum & ${MASK}`, `  sum >>= ${BITS}`)
  }
  return [...lines, `  const x${last + 1} = sum`]
}

/** q = the product over 2^232, times the reciprocal, over 2^290; its limbs below 2^261. */
function quotient(): string[] {
  const lines = indices(RECIPROCAL_LIMBS).map(
    (i) => `  const u${i}: u64 = load<u32>(prepared, ${4 * (LIMBS + i)})`,
  )
  for (const i of indices(RECIPROCAL_LIMBS)) lines.push(`  const h${i} = x${LIMBS - 1 + i}`)
  lines.push('  sum = 0')
  for (let k = SKIPPED; k <= RECIPROCAL_LIMBS + LIMBS - 1; k++) {
    lines.push(`  sum += ${column(k, 'h', RECIPROCAL_LIMBS, 'u', RECIPROCAL_LIMBS)}`)
    if (k >= RECIPROCAL_LIMBS) lines.push(`  const q${k - RECIPROCAL_LIMBS} = sum & ${MASK}`)
    lines.push(`  sum >>= ${BITS}`)
  }
  return lines
}

/** The product minus the quotient times the modulus, modulo 2^261. */
function rest(): string[] {
  const lines = indices(LIMBS).map((i) => `  const n${i}: u64 = load<u32>(prepared, ${4 * i})`)
  lines.push('  let left: i64 = 0')
  for (const k of indices(LIMBS)) {
    lines.push(`  left += i64(x${k}) - i64(${column(k, 'q', LIMBS, 'n', LIMBS)})`)
    lines.push(`  const r${k} = u64(left) & ${MASK}`)
    if (k < LIMBS - 1) lines.push(`  left >>= ${BITS}`)
  }
  return lines
}

function generate(): string {
  // The products and the carry of a column; signed in the last of the three.
  const column = BigInt(RECIPROCAL_LIMBS) << BigInt(2 * BITS)
  if (column + (1n << 36n) >= 1n << 63n) throw new RangeError('column')
  return [
    '// Written by tools/generate-u256.ts; do not edit.',
    '',
    '/**',
    ' * out = a * b - q * modulus, for a quotient that is at most three too small: words of four limbs. Returns',
    ' * the bits above 2^256. `prepared` holds the modulus, from 2^232 on, in nine limbs of 29 bits,',
    ' * and floor(2^522 / modulus) in ten.',
    ' */',
    'export function multiplyReduce(out: usize, a: usize, b: usize, prepared: usize): u64 {',
    ...unpack('a'),
    ...unpack('b'),
    ...product(),
    ...quotient(),
    ...rest(),
    ...pack(),
    ...indices(4).map((i) => `  store<u64>(out, w${i}, ${8 * i})`),
    '  return w4',
    '}',
    '',
  ].join('\n')
}

writeGenerated('tools/generate-u256.ts', new URL('../assembly/u256/generated/', import.meta.url), {
  'barrett.ts': generate,
})
