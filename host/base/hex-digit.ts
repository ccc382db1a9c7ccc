/** What the table has for a character that is no hex digit. */
export const NO_DIGIT = 255

/** Values of hex digits, of either case, by their ASCII codes. */
export const DIGIT_VALUES: Uint8Array = Uint8Array.from({ length: 256 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(value) ? NO_DIGIT : value
})
