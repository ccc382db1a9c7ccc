/** A decimal number of any size, with the digits of its fraction. */
export interface Decimal {
  readonly whole: bigint
  /** Without trailing zeros. */
  readonly fraction: string
}

const LEADING = /^(\d+)(?:\.(\d+))?/

/** Longest number read: no value of this chain has more digits. A longer text is not a number. */
const MAX_DIGITS = 512

/** Returns the number at the start of a text, such as 8 for `8atom`, or undefined if there is none. */
export function leadingDecimal(text: string): Decimal | undefined {
  const [, whole, fraction = ''] = LEADING.exec(text) ?? []
  if (whole === undefined || whole.length > MAX_DIGITS) return undefined
  return { whole: BigInt(whole), fraction: fraction.replace(/0+$/, '') }
}

/** Returns a negative number if `a` is less than `b`. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.whole !== b.whole) return a.whole < b.whole ? -1 : 1
  // Without trailing zeros, fractions compare like their digits.
  if (a.fraction === b.fraction) return 0
  return a.fraction < b.fraction ? -1 : 1
}
