import { lookup } from '../lookup.ts'

const LEVEL_LABELS: Readonly<Record<string, string>> = {
  trace: 'TRC',
  debug: 'DBG',
  info: 'INF',
  warn: 'WRN',
  error: 'ERR',
}

function formatValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /^[^\s"=\\\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text)
}

/** Formats a record as one line: `2026-11-20T12:00:00.000Z INF message key=value`. */
export function formatPlain(record: Readonly<Record<string, unknown>>): string {
  const { level, time, message, ...fields } = record
  const label = lookup(LEVEL_LABELS, String(level)) ?? level
  // A message may quote outside input: a line break in it must not start a new line.
  const text = String(message).replace(/\p{Cc}/gu, (control) =>
    JSON.stringify(control).slice(1, -1),
  )
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${formatValue(value)}`)
  return `${time} ${label} ${text}${pairs.join('')}\n`
}
