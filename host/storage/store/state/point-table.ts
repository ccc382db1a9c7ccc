import type { Version } from '../../table/version.ts'

/** The versions of a table, one key at a time. */
export interface PointTable {
  /** Returns the latest version at or below `height`. */
  find(key: Uint8Array, height: number): Version | undefined
}

/**
 * Returns the version that `height` sees: heights at or above `since` see none below it. The rows between are in
 * another member, and their result was written again at `since`, which is 0 if there is no such gap.
 */
export function seenVersion(
  version: Version | undefined,
  since: number,
  height: number,
): Version | undefined {
  if (since === 0 || version === undefined) return version
  return version.height < since && height >= since ? undefined : version
}
