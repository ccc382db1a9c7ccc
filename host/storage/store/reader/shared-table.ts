import { SharedMemory } from '../../table/memory-delta.ts'
import { Segment, type SharedSegment } from '../../table/segment.ts'
import { SegmentTable } from '../../table/segment-table.ts'
import type { Version } from '../../table/version.ts'
import { type PointTable, seenVersion } from '../state/point-table.ts'
import type { TableDelta } from './storage-delta.ts'

/**
 * A table that another thread writes, as of the last delta taken. If a file of its list cannot be opened, reads throw
 * until a list arrives whose files can.
 */
export class SharedTable implements PointTable {
  #memory: SharedMemory | undefined
  #segments: SegmentTable | undefined
  #since = 0
  /** The error of opening the latest list of files. */
  #failure: unknown

  /** False if the latest list of files could not be opened, or none has arrived. */
  get isReadable(): boolean {
    return this.#segments !== undefined && this.#failure === undefined
  }

  take({ since, memory, segments }: TableDelta): void {
    this.#since = since
    if (segments !== undefined) this.#takeSegments(segments)
    this.#memory ??= new SharedMemory(memory.seed)
    this.#memory.take(memory)
  }

  /** @throws the error for which the table cannot be read */
  find(key: Uint8Array, height: number): Version | undefined {
    if (this.#failure !== undefined) throw this.#failure
    const version = this.#memory?.find(key, height) ?? this.#segments?.find(key, height)
    return seenVersion(version, this.#since, height)
  }

  close(): void {
    this.#segments?.close()
  }

  #takeSegments(segments: readonly SharedSegment[]): void {
    try {
      this.#open(segments)
      this.#failure = undefined
    } catch (thrown) {
      this.#failure = thrown
    }
  }

  /** Opens the segments of a list. If one cannot be opened, everything stays as it was. */
  #open(shared: readonly SharedSegment[]): void {
    const known = new Map(this.#segments?.segments.map((segment) => [segment.path, segment]))
    const opened: Segment[] = []
    try {
      for (const one of shared) if (!known.has(one.path)) opened.push(Segment.openShared(one))
    } catch (thrown) {
      for (const segment of opened) segment.release()
      throw thrown
    }
    const wanted = new Set(shared.map(({ path }) => path))
    const kept = [...known.values()].filter(({ path }) => wanted.has(path))
    for (const segment of known.values()) if (!wanted.has(segment.path)) segment.release()
    this.#segments = new SegmentTable([...kept, ...opened])
  }
}
