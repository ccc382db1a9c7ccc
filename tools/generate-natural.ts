/**
 * Writes assembly/natural/generated/: Montgomery products of 29-bit limbs modulo any odd number, of five limbs up to
 * 143 bits and of nine up to 256, unrolled. node tools/generate-natural.ts [--check]
 */
import { writeGenerated } from './generated-files.ts'

const BITS = 29

type Product = (i: number, j: number) => string | undefined

const limb = (1n << BigInt(BITS)) - 1n

function column(limbs: number, k: number, product: Product): string {
  const terms = indices(limbs)
    .filter((i) => k - i >= 0 && k - i < limbs)
    .map((i) => product(i, k - i))
  return terms.filter((term) => term !== undefined).join(' + ')
}

function indices(limbs: number): number[] {
  return [...Array(limbs).keys()]
}

/** Column by column: products, then the step that makes the column's low limb zero or an output limb. */
function body(limbs: number, product: Product): string[] {
  const lines = ['  let sum: u64 = 0']
  for (let k = 0; k < 2 * limbs - 1; k++) {
    lines.push(`  sum += ${column(limbs, k, product)}`)
    const reduced = column(limbs, k, (i, j) => (i === k ? undefined : `q${i} * modulus${j}`))
    if (reduced !== '') lines.push(`  sum += ${reduced}`)
    if (k < limbs) {
      lines.push(`  const q${k}: u64 = ((sum as u32) * inverse) & 0x${limb.toString(16)}`)
      lines.push(`  sum = (sum + q${k} * modulus0) >> ${BITS}`)
    } else {
      lines.push(`  store<u32>(out, (sum as u32) & 0x${limb.toString(16)}, ${4 * (k - limbs)})`)
      lines.push(`  sum >>= ${BITS}`)
    }
  }
  lines.push(`  store<u32>(out, sum as u32, ${4 * (limbs - 1)})`)
  return lines
}

/** Returns the source for a modulus of `limbs` limbs. */
function generate(limbs: number): string {
  // A column is `limbs` products of a and b, as many of quotient and modulus, and a carry.
  if (2n * BigInt(limbs) * limb * limb + (1n << 36n) >= 1n << 64n) throw new RangeError('column')
  const names = indices(limbs)
  const loads = (name: string): string[] =>
    names.map((i) => `  const ${name}${i}: u64 = load<u32>(${name}, ${4 * i})`)
  return [
    '// Written by tools/generate-natural.ts; do not edit.',
    '',
    '/**',
    ` * out = a * b / 2^${limbs * BITS} modulo the odd \`modulus\`; \`inverse\` is -1 / modulus modulo 2^${BITS}. If the factors are`,
    ' * below twice the modulus, so is the result.',
    ' */',
    'export function montgomeryMultiply(out: usize, a: usize, b: usize, modulus: usize, inverse: u32): void {',
    ...loads('a'),
    ...loads('b'),
    ...loads('modulus'),
    ...body(limbs, (i, j) => `a${i} * b${j}`),
    '}',
    '',
    `/** out = a * a / 2^${limbs * BITS}, as above. */`,
    'export function montgomerySquare(out: usize, a: usize, modulus: usize, inverse: u32): void {',
    ...loads('a'),
    ...loads('modulus'),
    ...names.slice(0, -1).map((i) => `  const twice${i} = a${i} << 1`),
    ...body(limbs, (i, j) => {
      if (i === j) return `a${i} * a${i}`
      return i < j ? `twice${i} * a${j}` : undefined
    }),
    '}',
    '',
  ].join('\n')
}

writeGenerated(
  'tools/generate-natural.ts',
  new URL('../assembly/natural/generated/', import.meta.url),
  {
    'montgomery-143.ts': () => generate(5),
    'montgomery-256.ts': () => generate(9),
  },
)
