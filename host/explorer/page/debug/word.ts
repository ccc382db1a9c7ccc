/** How a word is shown. */
export type WordFormat = 'hex' | 'decimal' | 'ascii' | 'address'

export const WORD_FORMATS: readonly WordFormat[] = ['hex', 'decimal', 'ascii', 'address']

const ADDRESS_LIMIT = 1n << 160n
const SIGN_BIT = 1n << 255n
const MODULUS = 1n << 256n

/** The format that comes after another in the switch; addresses are left out for words that cannot be one. */
export function nextFormat(value: bigint, format: WordFormat): WordFormat {
  const fitting = WORD_FORMATS.filter((each) => each !== 'address' || value < ADDRESS_LIMIT)
  return fitting[(fitting.indexOf(format) + 1) % fitting.length] as WordFormat
}

export function formatWord(value: bigint, format: WordFormat): string {
  if (format === 'decimal') return formatDecimal(value)
  if (format === 'ascii') return formatAscii(value)
  if (format === 'address' && value < ADDRESS_LIMIT) {
    return `0x${value.toString(16).padStart(40, '0')}`
  }
  return `0x${value.toString(16)}`
}

/** A word of 32 bytes, as a key of storage is. */
export function fullWord(value: bigint): `0x${string}` {
  return `0x${value.toString(16).padStart(64, '0')}`
}

/** Unsigned; in two's complement where the number is a small negative one, as SDIV and SLT read it. */
function formatDecimal(value: bigint): string {
  const signed = value >= SIGN_BIT ? value - MODULUS : value
  return signed < 0n && signed > -(1n << 128n) ? `${value} (${signed})` : value.toString()
}

/** Bytes that are no printable ASCII are dots; zeros before and behind the text are left out. */
function formatAscii(value: bigint): string {
  const digits = value
    .toString(16)
    .padStart(64, '0')
    .replace(/^(00)+/, '')
    .replace(/(00)+$/, '')
  let text = ''
  for (let i = 0; i < digits.length; i += 2)
    text += asciiOf(Number.parseInt(digits.slice(i, i + 2), 16))
  return `"${text}"`
}

export function asciiOf(byte: number): string {
  return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·'
}

/** A place in memory or data. */
export function formatOffset(offset: number): string {
  return `0x${offset.toString(16).padStart(4, '0')}`
}
