import { rmSync } from 'node:fs'
import { yieldToEventLoop } from '../../../base/yield-to-event-loop.ts'
import { RowSorter } from '../../table/row-sorter.ts'
import { Segment } from '../../table/segment.ts'
import { compactSegments } from '../../table/segment-compaction.ts'
import { SegmentWriter } from '../../table/segment-writer.ts'
import { decodeChangeset } from '../codec/changeset-codec.ts'
import { type TableName, writeRows } from '../state/table-rows.ts'
import type { WalRecordReader } from './record-reader.ts'
import type { FlushOutput, StoreWork, WrittenFiles } from './store-messages.ts'

type FlushWork = Extract<StoreWork, { kind: 'flush' }>
type CompactionWork = Extract<StoreWork, { kind: 'compact' }>

/**
 * Writes the rows of records to segments, one per table; the reader caches the records. After an error no file is
 * left.
 */
export async function writeFlush(
  { records, outputs }: FlushWork,
  reader: WalRecordReader,
): Promise<WrittenFiles> {
  const sorters = new Map<TableName, RowSorter>()
  const above = new Map<TableName, number>()
  for (const output of outputs) {
    sorters.set(output.table, new RowSorter())
    above.set(output.table, output.above)
  }
  const wanted = (table: TableName, height: number): RowSorter | undefined =>
    height > (above.get(table) ?? Number.POSITIVE_INFINITY) ? sorters.get(table) : undefined
  for (const location of records) {
    const { height } = location
    writeRows(decodeChangeset(reader.keep(location).changeset), {
      packed(table, { bytes, width, keyLength }) {
        wanted(table, height)?.addPacked(height, bytes, width, keyLength)
      },
      row(table, { key, value }) {
        wanted(table, height)?.add(height, key, value)
      },
    })
  }
  const written: string[] = []
  for (const output of outputs) {
    await yieldToEventLoop()
    if (writeTable(sorters.get(output.table) as RowSorter, output)) written.push(output.path)
    sorters.delete(output.table)
  }
  return written
}

function writeTable(sorter: RowSorter, { path }: FlushOutput): boolean {
  if (sorter.rows === 0) return false
  const writer = new SegmentWriter(path, sorter.rows)
  try {
    sorter.writeTo(writer)
    writer.finish()
    return true
  } catch (thrown) {
    writer.abort()
    throw thrown
  }
}

/** Compacts segments into one, and pauses every few milliseconds. */
export async function writeCompaction({
  inputs,
  path,
  pruneHeight,
  isBottom,
}: CompactionWork): Promise<WrittenFiles> {
  const segments: Segment[] = []
  let writer: SegmentWriter | undefined
  try {
    for (const input of inputs) segments.push(Segment.open(input))
    const keys = segments.reduce((sum, { summary }) => sum + summary.keys, 0)
    writer = new SegmentWriter(path, keys)
    for (const _ of compactSegments(segments, writer, { pruneHeight, isBottom }))
      await yieldToEventLoop()
    if (writer.finish().rows > 0) return [path]
    rmSync(path)
    return []
  } catch (thrown) {
    writer?.abort()
    throw thrown
  } finally {
    for (const segment of segments) segment.release()
  }
}
