/** The time of a chain that begins now: nanoseconds since 1970, in whole milliseconds. */
export function nanosecondsNow(): bigint {
  return BigInt(Date.now()) * 1_000_000n
}
