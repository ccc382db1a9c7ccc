/** Formats a block time, in seconds since 1970, in UTC: `2026-01-02 03:04:05 UTC`. */
export function timeText(seconds: number | bigint): string {
  const milliseconds = Number(seconds) * 1_000
  // JavaScript dates end 275,000 years from now; numbers in headers do not.
  if (Math.abs(milliseconds) > 8.64e15) return `${seconds} s after 1970`
  return `${new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
