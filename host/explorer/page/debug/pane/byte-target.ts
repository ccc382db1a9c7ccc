import { lookup } from '../../../../base/lookup.ts'
export const BYTES_A_ROW = 16

/** Returns the byte that an arrow key leads to; undefined for other keys, and at the end. */
export function byteTarget(
  key: string,
  active: number | undefined,
  size: number,
): number | undefined {
  const distance = lookup(DISTANCES, key)
  if (distance === undefined || size === 0) return undefined
  if (active === undefined) return 0
  const target = active + distance
  return target < 0 || target >= size ? undefined : target
}

const DISTANCES: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -BYTES_A_ROW,
  ArrowDown: BYTES_A_ROW,
}
