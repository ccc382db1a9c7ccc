/** Limits of what one thread caches of blocks it has read. */
export interface BlockCaches {
  /** Blocks whose transactions and receipts are cached. */
  readonly blocks: number
  /** Headers, of a KiB each. */
  readonly headers: number
  /** Bytes of blocks cached for log searches. */
  readonly logBytes: number
}

/**
 * Clients request one receipt after another of the same block, and decoding the 5,000 receipts of a full block takes
 * milliseconds. Headers cover the blocks of repeated log searches, and logs some 50,000 blocks with one log each.
 */
export const BLOCK_CACHES: BlockCaches = {
  blocks: 24,
  headers: 8192,
  logBytes: 48 * 1024 * 1024,
}

/** Returns the limits of each of `threads`, which together cache as much as one thread alone. */
export function shareCaches(
  { blocks, headers, logBytes }: BlockCaches,
  threads: number,
): BlockCaches {
  return {
    blocks: Math.ceil(blocks / threads),
    headers: Math.ceil(headers / threads),
    logBytes: Math.ceil(logBytes / threads),
  }
}
