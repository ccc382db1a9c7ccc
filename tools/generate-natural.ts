/**
 * Writes assembly/natural/generated/montgomery-256.ts: Montgomery products of nine 29-bit limbs modulo
 * any odd number of up to 256 bits, unrolled. node tools/generate-natural.ts
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const LIMBS = 9
const BITS = 29
const NAMES = [...Array(LIMBS).keys()]

// A column is at most nine products of a and b, nine of quotient and modulus, and a carry.
const limb = (1n << BigInt(BITS)) - 1n
if (2n * BigInt(LIMBS) * limb * limb + (1n << 36n) >= 1n << 64n) throw new RangeError('column')

const loads = (name: string): string[] =>
  NAMES.map((i) => `  const ${name}${i}: u64 = load<u32>(${name}, ${4 * i})`)

function column(k: number, product: (i: number, j: number) => string | undefined): string {
  const terms = NAMES.filter((i) => k - i >= 0 && k - i < LIMBS).map((i) => product(i, k - i))
  return terms.filter((term) => term !== undefined).join(' + ')
}

/** Column by column: products, then what makes the column's low limb zero or an output limb. */
function body(product: (i: number, j: number) => string | undefined): string[] {
  const lines = ['  let sum: u64 = 0']
  for (let k = 0; k < 2 * LIMBS - 1; k++) {
    lines.push(`  sum += ${column(k, product)}`)
    const reduced = column(k, (i, j) => (i === k ? undefined : `q${i} * modulus${j}`))
    if (reduced !== '') lines.push(`  sum += ${reduced}`)
    if (k < LIMBS) {
      lines.push(`  const q${k}: u64 = ((sum as u32) * inverse) & 0x${limb.toString(16)}`)
      lines.push(`  sum = (sum + q${k} * modulus0) >> ${BITS}`)
    } else {
      lines.push(`  store<u32>(out, (sum as u32) & 0x${limb.toString(16)}, ${4 * (k - LIMBS)})`)
      lines.push(`  sum >>= ${BITS}`)
    }
  }
  lines.push(`  store<u32>(out, sum as u32, ${4 * (LIMBS - 1)})`)
  return lines
}

const source = [
  '// Written by tools/generate-natural.ts; do not edit.',
  '',
  '/**',
  ' * out = a * b / 2^261 modulo the odd `modulus`; `inverse` is -1 / modulus modulo 2^29. From factors',
  ' * below twice the modulus comes a result below twice the modulus.',
  ' */',
  'export function montgomeryMultiply(out: usize, a: usize, b: usize, modulus: usize, inverse: u32): void {',
  ...loads('a'),
  ...loads('b'),
  ...loads('modulus'),
  ...body((i, j) => `a${i} * b${j}`),
  '}',
  '',
  '/** out = a * a / 2^261, as above. */',
  'export function montgomerySquare(out: usize, a: usize, modulus: usize, inverse: u32): void {',
  ...loads('a'),
  ...loads('modulus'),
  ...NAMES.slice(0, -1).map((i) => `  const twice${i} = a${i} << 1`),
  ...body((i, j) => (i < j ? `twice${i} * a${j}` : i === j ? `a${i} * a${i}` : undefined)),
  '}',
  '',
].join('\n')

const folder = fileURLToPath(new URL('../assembly/natural/generated/', import.meta.url))
mkdirSync(folder, { recursive: true })
writeFileSync(`${folder}montgomery-256.ts`, source)
