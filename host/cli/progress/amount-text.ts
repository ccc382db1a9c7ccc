const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** Formats bytes in powers of 1000: `12 bytes`, `1.5 MB`. */
export function formatSize(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}

/** Formats an amount of a unit; `bytes` become kB, MB and so on. */
export function formatAmount(amount: number, unit: string): string {
  return unit === 'bytes' ? formatSize(amount) : `${amount} ${unit}`
}

/** Formats an amount per second; small ones have a fraction. */
export function formatRate(perSecond: number, unit: string): string {
  if (unit === 'bytes') return `${formatSize(perSecond)}/s`
  return `${perSecond >= 100 ? Math.round(perSecond) : perSecond.toFixed(1)} ${unit}/s`
}

/** Formats seconds in their two largest units: `7s`, `3m20s`, `1h02m`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.ceil(seconds)
  const two = (value: number): string => String(value).padStart(2, '0')
  if (whole < 60) return `${whole}s`
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`
  return `${Math.floor(whole / 3600)}h${two(Math.floor((whole % 3600) / 60))}m`
}
