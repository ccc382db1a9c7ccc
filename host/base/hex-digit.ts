/** Marks a character that is not a hex digit. */
export const NO_DIGIT = 255

/** Values of hex digits in either case, by ASCII code. */
export const DIGIT_VALUES: Uint8Array = Uint8Array.from({ length: 256 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(value) ? NO_DIGIT : value
})
