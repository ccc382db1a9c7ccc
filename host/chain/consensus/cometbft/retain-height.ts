export interface CometRetention {
  /** First block that the node retains. */
  readonly earliest: number
  /** First block that CometBFT retains; 0 if it has none or has not answered yet. */
  readonly base: number
  /** Height of the latest snapshot: a node restored from it needs the blocks above. */
  readonly snapshot: () => number | undefined
}

/**
 * Returns the height below which CometBFT may drop blocks. 0 if there are none to drop, since CometBFT rejects a
 * height below its first block: a node restored from a snapshot has blocks that its CometBFT never had.
 */
export function retainHeight({ earliest, base, snapshot }: CometRetention): number {
  if (base === 0 || earliest <= base) return 0
  const height = Math.min(earliest, snapshot() ?? earliest)
  return height > base ? height : 0
}
