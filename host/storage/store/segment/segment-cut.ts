import { yieldToEventLoop } from '../../../base/yield-to-event-loop.ts'
import type { Segment } from '../../table/segment.ts'
import { SegmentWriter } from '../../table/segment-writer.ts'
import type { OnScannedRows } from '../state/state-backend.ts'

/** Rows processed before yielding to other work. */
const SLICE = 65_536

/**
 * Writes the rows of a segment at or below `height` to a new file.
 * @returns false if there are none; it then creates no file
 * @throws STORE_CORRUPTED, STORE_FULL
 */
export async function cutSegment(
  segment: Segment,
  path: string,
  height: number,
  onRows: OnScannedRows,
): Promise<boolean> {
  const cursor = segment.cursor()
  const writer = new SegmentWriter(path, segment.summary.keys)
  let seen = 0
  let rows = 0
  try {
    while (cursor.next()) {
      const { height: written } = cursor
      if (written <= height) {
        writer.addEncoded(cursor.words, cursor.start, cursor.end, cursor.keyLength, written)
        rows++
      }
      if (++seen % SLICE !== 0) continue
      onRows(SLICE)
      await yieldToEventLoop()
    }
    onRows(seen % SLICE)
    if (rows > 0) writer.finish()
    else writer.abort()
    return rows > 0
  } catch (thrown) {
    writer.abort()
    throw thrown
  } finally {
    cursor.close()
  }
}
