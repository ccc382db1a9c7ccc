import { mergeOrdered } from './ordered-merge.ts'
import type { Segment } from './segment.ts'
import type { StoredVersions, TableSize } from './stored-versions.ts'
import type { Version } from './version.ts'

/**
 * The versions of a table that are on disk: segments, latest first. Their heights (or, after an import, their keys)
 * do not overlap, so the first segment that has the key at or below a height has the answer.
 */
export class SegmentTable implements StoredVersions {
  #segments: readonly Segment[]
  #bytesWritten = 0

  /** Takes ownership of one reference to each segment. */
  constructor(segments: readonly Segment[]) {
    this.#segments = newestFirst(segments)
  }

  get segments(): readonly Segment[] {
    return this.#segments
  }

  find(key: Uint8Array, height: number): Version | undefined {
    for (const segment of this.#segments) {
      if (segment.summary.lowest > height) continue
      const version = segment.find(key, height)
      if (version !== undefined) return version
    }
    return undefined
  }

  /** Iterates over the segments that exist when it starts, even if a compaction replaces them meanwhile. */
  *keys(start: Uint8Array, end: Uint8Array, reverse: boolean): Generator<Uint8Array, void> {
    const segments = this.#segments
    for (const segment of segments) segment.retain()
    try {
      yield* mergeOrdered(
        segments.map((segment) => segment.keys(start, end, reverse)),
        reverse,
      )
    } finally {
      for (const segment of segments) segment.release()
    }
  }

  isEmpty(): boolean {
    return this.#segments.length === 0
  }

  size(): TableSize {
    let rows = 0
    let bytes = 0
    for (const { summary } of this.#segments) {
      rows += summary.rows
      bytes += summary.bytes
    }
    return { rows, bytes, bytesWritten: this.#bytesWritten }
  }

  /** Replaces `removed` with `added`, and releases the references to `removed`. */
  replace(removed: readonly Segment[], added: Segment | undefined): void {
    const kept = this.#segments.filter((segment) => !removed.includes(segment))
    this.#segments = newestFirst(added === undefined ? kept : [...kept, added])
    this.#bytesWritten += added?.summary.bytes ?? 0
    for (const segment of removed) segment.release()
  }

  close(): void {
    for (const segment of this.#segments) segment.release()
    this.#segments = []
  }
}

function newestFirst(segments: readonly Segment[]): Segment[] {
  return [...segments].sort((a, b) => b.summary.highest - a.summary.highest)
}
