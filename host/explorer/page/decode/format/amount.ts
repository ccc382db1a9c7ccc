const ETHER_DECIMALS = 18
const GWEI_DECIMALS = 9

/** Groups digits by three with commas: `1,234,567`. */
export function groupDigits(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',')
}

/** Formats an integer in groups of three digits. */
export function countText(count: bigint | number): string {
  const text = `${count}`
  return text.startsWith('-') ? `-${groupDigits(text.slice(1))}` : groupDigits(text)
}

/** Formats `value / 10^decimals` exactly, without rounding. */
export function decimalText(value: bigint, decimals: number): string {
  if (value < 0n) return `-${decimalText(-value, decimals)}`
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > 255) return countText(value)
  const digits = value.toString().padStart(decimals + 1, '0')
  const whole = groupDigits(digits.slice(0, digits.length - decimals))
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return part === '' ? whole : `${whole}.${part}`
}

/**
 * Formats an amount of the native coin exactly, in the unit that needs the fewest zeros: `1.5 ether`, `30 gwei`, `7
 * wei`.
 */
export function weiText(wei: bigint): string {
  const size = wei < 0n ? -wei : wei
  if (size === 0n) return '0 ether'
  // From a millionth of an ether, or of a gwei.
  if (size >= 10n ** 12n) return `${decimalText(wei, ETHER_DECIMALS)} ether`
  if (size >= 10n ** 6n) return `${decimalText(wei, GWEI_DECIMALS)} gwei`
  return `${countText(wei)} wei`
}

/** Formats a signed difference: `+1 ether`, `−30 gwei`. */
export function signedWei(difference: bigint): string {
  return difference < 0n ? `−${weiText(-difference)}` : `+${weiText(difference)}`
}
