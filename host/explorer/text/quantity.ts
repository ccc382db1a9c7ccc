const GROUPS = new Intl.NumberFormat('en-US')

/** With a thin space between thousands: 21 000. */
export function grouped(value: bigint | number): string {
  return GROUPS.format(value).replaceAll(',', '\u{202f}')
}

/** Wei as ether with as many digits as it takes: 1.05 ETH; below a million, as wei. */
export function ether(wei: bigint): string {
  const size = wei < 0n ? -wei : wei
  if (size !== 0n && size < 1_000_000n) return `${grouped(wei)} wei`
  return `${decimals(wei, 18)} ETH`
}

/** Wei as gwei, the unit of prices of gas. */
export function gwei(wei: bigint): string {
  return `${decimals(wei, 9)} gwei`
}

/** A whole number as a decimal fraction with `places` digits behind the point, without zeros at its end. */
export function decimals(value: bigint, places: number): string {
  const unit = 10n ** BigInt(places)
  const size = value < 0n ? -value : value
  const fraction = (size % unit).toString().padStart(places, '0').replace(/0+$/, '')
  const whole = `${value < 0n ? '−' : ''}${grouped(size / unit)}`
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** A share of a whole: 12.3 %. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${((100 * part) / whole).toFixed(1)} %`
}

/** How long ago: 12 s, 5 min, 3 h, 40 d. */
export function age(seconds: number): string {
  if (seconds < 100) return `${Math.max(0, Math.floor(seconds))} s`
  if (seconds < 6_000) return `${Math.floor(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}
