/**
 * Versioned point reads: the newest value written at or below a height. It has no iteration, so that a
 * store kept for point reads alone (EVM state) cannot be iterated by mistake: it does not compile.
 */
export interface PointStore {
  /** Lowest height that reads answer for. */
  readonly earliest: number
  /** Height of the newest changeset applied. */
  readonly latest: number
  /** The value at `height`, or undefined where the key was never written or is deleted. */
  get(key: Uint8Array, height: number): Uint8Array | undefined
  has(key: Uint8Array, height: number): boolean
}
