/** A decimal number of any size: digits before and after the point, as they are written. */
export interface Decimal {
  readonly whole: bigint
  /** Without trailing zeros. */
  readonly fraction: string
}

const LEADING = /^(\d+)(?:\.(\d+))?/

/** The longest number that is read: none of this chain has more digits, and a longer one is no number. */
const MAX_DIGITS = 512

/** The number that a text begins with: `8atom` is 8. Undefined where it begins with none. */
export function leadingDecimal(text: string): Decimal | undefined {
  const [, whole, fraction = ''] = LEADING.exec(text) ?? []
  if (whole === undefined || whole.length > MAX_DIGITS) return undefined
  return { whole: BigInt(whole), fraction: fraction.replace(/0+$/, '') }
}

/** Below zero where `a` is less than `b`. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.whole !== b.whole) return a.whole < b.whole ? -1 : 1
  // Without trailing zeros the order of fractions is that of their digits.
  if (a.fraction === b.fraction) return 0
  return a.fraction < b.fraction ? -1 : 1
}
