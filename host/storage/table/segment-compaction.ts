import type { Segment } from './segment.ts'
import type { SegmentCursor } from './segment-cursor.ts'
import type { SegmentWriter } from './segment-writer.ts'

/** Maximum duration of a step; the clock is read after every `ROWS_PER_LOOK` rows. */
const STEP_MS = 10
const ROWS_PER_LOOK = 2048

export interface CompactionOptions {
  /** Lowest height that is read. Of a key's versions at or below it only the latest is retained. */
  readonly pruneHeight: number
  /** True if no older segment lies below the inputs, so that tombstones have nothing left to hide. */
  readonly isBottom: boolean
}

/** Compares the first `length` bytes at two words. */
function compareAt(
  a: Uint32Array,
  aStart: number,
  b: Uint32Array,
  bStart: number,
  length: number,
): number {
  const whole = length >>> 2
  let difference = 0
  let i = 0
  while (i < whole && a[aStart + i] === b[bStart + i]) i++
  if (i < whole) difference = (a[aStart + i] as number) ^ (b[bStart + i] as number)
  else if ((length & 3) !== 0) {
    const mask = (1 << ((length & 3) << 3)) - 1
    difference = ((a[aStart + i] as number) ^ (b[bStart + i] as number)) & mask
  }
  if (difference === 0) return 0
  // Little-endian words: the lowest differing byte comes first.
  const shift = (31 - Math.clz32(difference & -difference)) & ~7
  return (
    (((a[aStart + i] as number) >>> shift) & 255) - (((b[bStart + i] as number) >>> shift) & 255)
  )
}

function compareKeys(a: SegmentCursor, b: SegmentCursor): number {
  const length = Math.min(a.keyLength, b.keyLength)
  return compareAt(a.words, a.start + 1, b.words, b.start + 1, length)
}

/** A copy of the last row's key, because the cursor moves on. */
class CurrentKey {
  #words = new Uint32Array(16)
  #length = -1

  /** Takes the cursor's key. Returns true if it differs from the previous one. */
  change(row: SegmentCursor): boolean {
    const length = row.keyLength
    const from = row.start + 1
    if (length === this.#length && compareAt(row.words, from, this.#words, 0, length) === 0) {
      return false
    }
    const words = (length + 3) >>> 2
    if (words > this.#words.length) this.#words = new Uint32Array(words)
    for (let i = 0; i < words; i++) this.#words[i] = row.words[from + i] as number
    this.#length = length
    return true
  }
}

/** Cursors sorted by the key of their row; for equal keys the latest segment first. */
class CursorQueue {
  readonly #cursors: SegmentCursor[] = []
  readonly #ranks: number[] = []

  /** Returns the cursor with the next row, or undefined at the end. */
  first(): SegmentCursor | undefined {
    return this.#cursors[0]
  }

  /** Adds a cursor. Ranks are distinct, and lower for newer segments. */
  add(cursor: SegmentCursor, rank: number): void {
    if (!cursor.next()) return
    this.#cursors.unshift(cursor)
    this.#ranks.unshift(rank)
    this.#sink()
  }

  /** Skips the first cursor's row. */
  pass(): void {
    if ((this.#cursors[0] as SegmentCursor).next()) this.#sink()
    else {
      this.#cursors.shift()
      this.#ranks.shift()
    }
  }

  #sink(): void {
    const cursors = this.#cursors
    const ranks = this.#ranks
    const cursor = cursors[0] as SegmentCursor
    const rank = ranks[0] as number
    let at = 0
    for (; at + 1 < cursors.length; at++) {
      const other = cursors[at + 1] as SegmentCursor
      const order = compareKeys(cursor, other)
      if (order < 0 || (order === 0 && rank < (ranks[at + 1] as number))) break
      cursors[at] = other
      ranks[at] = ranks[at + 1] as number
    }
    cursors[at] = cursor
    ranks[at] = rank
  }
}

/**
 * Compacts segments of disjoint heights, latest first, into `writer`, which the caller finishes. Yields after every
 * 10 ms of work. @throws STORE_CORRUPTED, STORE_FULL
 */
export function* compactSegments(
  inputs: readonly Segment[],
  writer: SegmentWriter,
  { pruneHeight, isBottom }: CompactionOptions,
): Generator<void, void> {
  const cursors: SegmentCursor[] = []
  try {
    const queue = new CursorQueue()
    for (const [rank, input] of inputs.entries()) {
      const cursor = input.cursor()
      cursors.push(cursor)
      queue.add(cursor, rank)
    }
    const key = new CurrentKey()
    let isSettled = false
    let looksAt = performance.now() + STEP_MS
    let rows = 0
    for (let row = queue.first(); row !== undefined; row = queue.first()) {
      if (key.change(row)) isSettled = false
      const { height } = row
      if (height > pruneHeight || !(isSettled || (isBottom && row.isTombstone))) {
        writer.addEncoded(row.words, row.start, row.end, row.keyLength, height)
      }
      if (height <= pruneHeight) isSettled = true
      queue.pass()
      if (++rows % ROWS_PER_LOOK === 0 && performance.now() >= looksAt) {
        yield
        looksAt = performance.now() + STEP_MS
      }
    }
  } finally {
    for (const cursor of cursors) cursor.close()
  }
}
