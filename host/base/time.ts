import { LockstepError } from './error.ts'

const NANOSECONDS = 1_000_000_000n

/** Seconds since 1970 at the end of the year 9999. RFC 3339 and protobuf's Timestamp have no later time. */
export const LAST_SECOND = 253_402_300_799

/** Milliseconds since 1970 at the end of the year 9999. */
export const LAST_MILLISECOND = LAST_SECOND * 1_000 + 999

/** Seconds since 1970 at the beginning of the year 1, the earliest time of protobuf's Timestamp. */
const FIRST_SECOND = -62_135_596_800

/** Returns true if the time, in nanoseconds since 1970, is in the years 1 to 9999. */
export function hasYear(nanoseconds: bigint): boolean {
  return (
    nanoseconds >= BigInt(FIRST_SECOND) * NANOSECONDS &&
    nanoseconds < BigInt(LAST_SECOND + 1) * NANOSECONDS
  )
}

/**
 * Returns the nanoseconds since 1970 of an RFC 3339 time in UTC with up to nine fraction digits.
 * @throws INVALID_ARGUMENT on any other text, and on a date the calendar does not have.
 */
export function parseTime(text: string): bigint {
  const match = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?Z$/.exec(text)
  const milliseconds = match === null ? Number.NaN : Date.parse(`${match[1]}Z`)
  // Date.parse rolls 30 February over to March, so check that the time survives a round trip.
  if (
    match === null ||
    Number.isNaN(milliseconds) ||
    new Date(milliseconds).toISOString().slice(0, 19) !== match[1]
  ) {
    throw new LockstepError('INVALID_ARGUMENT', `"${text}" is not an RFC 3339 time in UTC`, {
      hint: 'write it as 2026-01-31T12:00:00Z',
    })
  }
  return BigInt(milliseconds) * 1_000_000n + BigInt((match[2] ?? '').padEnd(9, '0'))
}

/**
 * Formats RFC 3339 in UTC, fraction digits without trailing zeros, as Go's RFC3339Nano.
 * @throws INVALID_ARGUMENT if the time is not in the years 1 to 9999
 */
export function formatTime(nanoseconds: bigint): string {
  if (!hasYear(nanoseconds)) {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `a time of ${nanoseconds} ns since 1970 is not in the years 1 to 9999`,
    )
  }
  // The fraction is positive before 1970 too: Go's zero time is in the year 1.
  const part = ((nanoseconds % NANOSECONDS) + NANOSECONDS) % NANOSECONDS
  const seconds = (nanoseconds - part) / NANOSECONDS
  const fraction = part.toString().padStart(9, '0').replace(/0+$/, '')
  const date = new Date(Number(seconds) * 1000).toISOString().slice(0, 19)
  return fraction === '' ? `${date}Z` : `${date}.${fraction}Z`
}

/** Returns the time of this machine in nanoseconds since 1970, in whole milliseconds. */
export function nanosecondsNow(): bigint {
  return BigInt(Date.now()) * 1_000_000n
}
