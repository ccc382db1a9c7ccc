import { LockstepError } from '../../base/error.ts'
import { checkEvmReach } from './state/split.ts'
import type { StorageParts } from './storage-parts.ts'

/** Heights replayed from the write-ahead log, both included. */
export interface ReplayedHeights {
  readonly from: number
  readonly to: number
}

/**
 * Loads the heights that tables lack into memory, up to the latest height of any.
 * @param flushed - Latest height that every table has on disk.
 * @param apply - Loads the record of a height from the write-ahead log into memory.
 * @returns undefined if the tables were complete.
 * @throws STORE_CORRUPTED, STORE_SPLIT_REFUSED if the write-ahead log lacks a height
 */
export function replayWal(
  dataDir: string,
  { wal, split, blocks }: StorageParts,
  flushed: number,
  apply: (height: number) => void,
): ReplayedHeights | undefined {
  const databases = [...split.evm, split.general, blocks]
  const to = Math.max(wal.latest, ...databases.map((database) => database.latest))
  const from = flushed + 1
  if (wal.latest >= 0 && wal.latest < flushed) {
    // No block could follow: the write-ahead log has no gaps.
    throw new LockstepError(
      'STORE_CORRUPTED',
      `the databases of ${dataDir} end at height ${to}, and the write-ahead log in wal holds ` +
        `heights ${wal.earliest} to ${wal.latest}`,
    )
  }
  if (from > to) return undefined
  if (wal.earliest < 0 || wal.earliest > from || wal.latest < to) {
    checkEvmReach(split, wal)
    const behind = databases.find((database) => database.latest === flushed)
    throw new LockstepError(
      'STORE_CORRUPTED',
      `database ${behind?.dir} ends at height ${flushed}, the others at ${to}, and the ` +
        `write-ahead log holds heights ${wal.earliest} to ${wal.latest}`,
    )
  }
  for (let height = from; height <= to; height++) apply(height)
  return { from, to }
}
