/** The display format of a word. */
export type WordFormat = 'hex' | 'decimal' | 'ascii' | 'address'

export const WORD_FORMATS: readonly WordFormat[] = ['hex', 'decimal', 'ascii', 'address']

const ADDRESS_LIMIT = 1n << 160n
const SIGN_BIT = 1n << 255n
const MODULUS = 1n << 256n

/** Returns the next format of the switch; skips addresses if the word cannot be one. */
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

/** Formats a word as 32 bytes, like a storage key. */
export function fullWord(value: bigint): `0x${string}` {
  return `0x${value.toString(16).padStart(64, '0')}`
}

/** Formats unsigned; small negative numbers in two's complement, as SDIV and SLT read them. */
function formatDecimal(value: bigint): string {
  const signed = value >= SIGN_BIT ? value - MODULUS : value
  return signed < 0n && signed > -(1n << 128n) ? `${value} (${signed})` : value.toString()
}

/** Bytes other than printable ASCII become dots; zeros around the text are dropped. */
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

/** Formats an offset in memory or data. */
export function formatOffset(offset: number): string {
  return `0x${offset.toString(16).padStart(4, '0')}`
}
