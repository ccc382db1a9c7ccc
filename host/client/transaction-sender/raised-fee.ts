/** A replacement offers an eighth more; pools require a tenth. */
const BUMP_DIVISOR = 8n

/** Returns the lowest fee that replaces a pending transaction. */
export function raisedFee(before: bigint): bigint {
  return before + before / BUMP_DIVISOR + 1n
}

export function higherFee(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

export function lowerFee(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
