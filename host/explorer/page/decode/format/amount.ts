const ETHER_DECIMALS = 18
const GWEI_DECIMALS = 9

/** Digits in groups of three, set apart as SI has it but by a comma: `1,234,567`. */
export function groupDigits(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',')
}

/** An integer in groups of three digits. */
export function countText(count: bigint | number): string {
  const text = `${count}`
  return text.startsWith('-') ? `-${groupDigits(text.slice(1))}` : groupDigits(text)
}

/** `value / 10^decimals`, exactly: no digit is rounded away. */
export function decimalText(value: bigint, decimals: number): string {
  if (value < 0n) return `-${decimalText(-value, decimals)}`
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > 255) return countText(value)
  const digits = value.toString().padStart(decimals + 1, '0')
  const whole = groupDigits(digits.slice(0, digits.length - decimals))
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return part === '' ? whole : `${whole}.${part}`
}

/** An amount of the native coin in the unit that needs the fewest zeros, exactly: `1.5 ether`, `30 gwei`, `7 wei`. */
export function weiText(wei: bigint): string {
  const size = wei < 0n ? -wei : wei
  if (size === 0n) return '0 ether'
  // From a millionth of an ether on, and from a millionth of a gwei on
  if (size >= 10n ** 12n) return `${decimalText(wei, ETHER_DECIMALS)} ether`
  if (size >= 10n ** 6n) return `${decimalText(wei, GWEI_DECIMALS)} gwei`
  return `${countText(wei)} wei`
}

/** An amount of a token whose symbol is safe to show. */
export function tokenText(value: bigint, token: { symbol: string; decimals: number }): string {
  return `${decimalText(value, token.decimals)} ${token.symbol}`
}
