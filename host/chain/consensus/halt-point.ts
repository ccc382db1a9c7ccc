/** The block after which a node stops, by height or by time. */
export interface HaltPoint {
  /** Last height to execute; 0 for no limit. */
  readonly height: number
  /** Unix time in seconds: the first block of that time or later is the last one; 0 for no limit. */
  readonly time: number
}

export const NO_HALT: HaltPoint = { height: 0, time: 0 }

const NANOSECONDS = 1_000_000_000n

/** Returns true if no block may follow this one. @param block its time is in nanoseconds since 1970 */
export function isHaltReached(
  { height, time }: HaltPoint,
  block: { readonly height: number; readonly time: bigint },
): boolean {
  if (block.height === 0) return false
  if (height > 0 && block.height >= height) return true
  return time > 0 && block.time >= BigInt(time) * NANOSECONDS
}
