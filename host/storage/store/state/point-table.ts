import type { Version } from '../../table/version.ts'

/** The versions of a table, one key at a time. */
export interface PointTable {
  /** The newest version at or below `height`. */
  find(key: Uint8Array, height: number): Version | undefined
}

/**
 * The version that is seen at `height`: those below `since` are not seen at or above it. Rows of the heights between
 * are elsewhere, and their outcome was written again at `since`; 0 where there is no such gap.
 */
export function seenVersion(
  version: Version | undefined,
  since: number,
  height: number,
): Version | undefined {
  if (since === 0 || version === undefined) return version
  return version.height < since && height >= since ? undefined : version
}
