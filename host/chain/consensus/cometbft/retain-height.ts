export interface Retention {
  /** First block that the node keeps. */
  readonly earliest: number
  /** First block that CometBFT keeps; 0 where it has none, or has not said. */
  readonly base: number
  /** Height of the newest snapshot: who begins with it takes the blocks above from here. */
  readonly snapshot: () => number | undefined
}

/**
 * The height below which CometBFT may drop blocks; 0 where there is nothing to drop, since it counts a height below its
 * first block as an error. A node that began with a snapshot keeps blocks that its CometBFT never had.
 */
export function retainHeight({ earliest, base, snapshot }: Retention): number {
  if (base === 0 || earliest <= base) return 0
  const height = Math.min(earliest, snapshot() ?? earliest)
  return height > base ? height : 0
}
