import { lookup } from './lookup.ts'

/** Milliseconds per unit of Go's `time.ParseDuration`. */
const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}

const DURATION = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/
const TERM = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g

/** Returns the milliseconds of a Go duration (`400ms`, `1m30s`, `0`); undefined if the text is invalid or negative. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  if (!DURATION.test(text)) return undefined
  let total = 0
  for (const [, count, unit] of text.matchAll(TERM)) {
    total += Number(count) * (lookup(UNIT_MS, unit ?? '') ?? Number.NaN)
  }
  return Number.isFinite(total) ? total : undefined
}

/** Formats milliseconds as a Go duration: `30s`, `1m30s`, `250ms`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0s'
  if (milliseconds < 1000) return `${milliseconds}ms`
  const hours = Math.floor(milliseconds / 3_600_000)
  const minutes = Math.floor((milliseconds % 3_600_000) / 60_000)
  const seconds = (milliseconds % 60_000) / 1000
  return `${hours > 0 ? `${hours}h` : ''}${hours + minutes > 0 ? `${minutes}m` : ''}${seconds}s`
}
