/** What one thread keeps of blocks that were read, at most. */
export interface BlockCaches {
  /** Blocks whose transactions and receipts are kept. */
  readonly blocks: number
  /** Headers, of a KiB each. */
  readonly headers: number
  /** Bytes of blocks kept for searches of logs. */
  readonly logBytes: number
}

/**
 * Clients ask for one receipt after another of the same block, and decoding the 5,000 receipts of a full one takes
 * milliseconds; as many headers as blocks that a client looks through for logs again and again, and logs of some
 * 50,000 blocks with one each.
 */
export const BLOCK_CACHES: BlockCaches = {
  blocks: 24,
  headers: 8192,
  logBytes: 48 * 1024 * 1024,
}

/** The part of each of `threads` that together keep as much as one by itself. */
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
