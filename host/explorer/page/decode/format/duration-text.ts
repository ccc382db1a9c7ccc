const UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
]

/** Formats a time span in its two largest units: `3 d 4 h`, `5 min`, `1.25 s`, `12 ms`. */
export function durationText(seconds: number): string {
  if (!Number.isFinite(seconds)) return '?'
  if (seconds < 0) return `-${durationText(-seconds)}`
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 60) return `${Number(seconds.toFixed(2))} s`
  let left = Math.floor(seconds)
  const parts: string[] = []
  for (const [name, size] of UNITS) {
    const count = Math.floor(left / size)
    left -= count * size
    if (parts.length > 0 || count > 0) parts.push(count > 0 ? `${count} ${name}` : '')
    if (parts.length === 2) break
  }
  return parts.filter((part) => part !== '').join(' ')
}
