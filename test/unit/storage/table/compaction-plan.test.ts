import { describe, expect, test } from 'vitest'
import { planCompaction } from '../../../../host/storage/table/compaction-plan.ts'
import type { SegmentSummary } from '../../../../host/storage/table/segment-format.ts'
import { makeRandom } from '../../../support/random.ts'
import { seed } from './version-model.ts'

/** Returns segments of one height each, latest first. The oldest has height 1. */
function segmentsOf(...rows: number[]): SegmentSummary[] {
  return rows.map((rows, i, { length }) => {
    const height = length - i
    return { rows, keys: rows, bytes: rows * 100, lowest: height, highest: height }
  })
}

/** A table whose flushes cover `keys` keys. It is compacted as planned, with the fewest rows dropped per compaction. */
class Table {
  readonly #keys: number
  segments: SegmentSummary[] = []
  written = 0
  flushed = 0

  constructor(keys: number) {
    this.#keys = keys
  }

  flush(rows: number, pruneHeight: number): void {
    const height = (this.segments[0]?.highest ?? 0) + 1
    const keys = Math.min(rows, this.#keys)
    this.segments.unshift({ rows, keys, bytes: rows, lowest: height, highest: height })
    this.flushed += rows
    for (let compactions = 0; ; compactions++) {
      expect(compactions).toBeLessThan(20)
      const plan = planCompaction(this.segments, pruneHeight)
      if (plan === undefined) return
      this.#compact(plan.from, plan.count, pruneHeight)
    }
  }

  #compact(from: number, count: number, pruneHeight: number): void {
    expect(from).toBeGreaterThanOrEqual(0)
    expect(from + count).toBeLessThanOrEqual(this.segments.length)
    const compacted = this.segments.slice(from, from + count)
    const highest = compacted[0]?.highest as number
    const lowest = compacted.at(-1)?.lowest as number
    const all = compacted.reduce((sum, { rows }) => sum + rows, 0)
    const keys = Math.min(all, this.#keys)
    const rows = highest <= pruneHeight ? keys : all
    this.written += rows
    this.segments.splice(from, count, { rows, keys, bytes: rows, lowest, highest })
  }
}

describe('a compaction plan', () => {
  test('leaves a small number of segments unchanged', () => {
    expect(planCompaction([], 0)).toBeUndefined()
    expect(planCompaction(segmentsOf(5), 9)).toBeUndefined()
    expect(planCompaction(segmentsOf(5, 5, 5, 5, 5, 5, 5), 0)).toBeUndefined()
  })

  test('leaves the files of an import unchanged, since files of one height share no key', () => {
    const files = segmentsOf(5, 5, 5).map((segment) => ({ ...segment, lowest: 7, highest: 7 }))
    expect(planCompaction(files, 7)).toBeUndefined()
    const [newer] = segmentsOf(8)
    const over = { ...(newer as SegmentSummary), lowest: 8, highest: 9 }
    expect(planCompaction([over, ...files], 9)).toEqual({ from: 0, count: 4 })
  })

  test('merges eight neighbours of one size and the smaller ones after them', () => {
    expect(planCompaction(segmentsOf(5, 6, 5, 9, 5, 5, 5, 5), 0)).toEqual({ from: 0, count: 8 })
    expect(planCompaction(segmentsOf(1, 9, 9, 9, 9, 9, 9, 9, 9, 2, 90), 0)).toEqual({
      from: 1,
      count: 9,
    })
  })

  test('merges segments below the prune height into the oldest once they have half its size', () => {
    expect(planCompaction(segmentsOf(10, 24, 25, 100), 3)).toBeUndefined()
    expect(planCompaction(segmentsOf(10, 25, 25, 100), 2)).toBeUndefined()
    expect(planCompaction(segmentsOf(10, 25, 25, 100), 3)).toEqual({ from: 1, count: 3 })
  })

  test('rewrites the oldest segment alone once half of its rows are superseded', () => {
    const oldest = { rows: 100, keys: 50, bytes: 1, lowest: 1, highest: 9 }
    const newer = { rows: 100, keys: 50, bytes: 1, lowest: 10, highest: 20 }
    expect(planCompaction([newer, oldest], 8)).toBeUndefined()
    expect(planCompaction([newer, oldest], 9)).toEqual({ from: 1, count: 1 })
    expect(planCompaction([newer, { ...oldest, keys: 51 }], 9)).toBeUndefined()
  })

  test.each([0, 1, 50, Number.POSITIVE_INFINITY])(
    `keeps the number of segments small and terminates, with %d flushes retained (LOCKSTEP_SEED=${seed})`,
    (kept) => {
      const random = makeRandom(seed)
      for (const spread of [1, 10, 1000]) {
        const table = new Table(20_000)
        for (let flush = 1; flush <= 1500; flush++) {
          const rows = Math.ceil(1000 * spread ** (random() - 0.5))
          table.flush(rows, Math.max(0, flush - kept))
          expect(table.segments.length).toBeLessThan(60)
        }
        expect(table.written / table.flushed).toBeLessThan(20)
        if (kept > 1) continue
        const rows = table.segments.reduce((sum, segment) => sum + segment.rows, 0)
        expect(rows).toBeLessThan(1.5 * 20_000 + 40_000)
      }
    },
  )

  test('keeps the number of segments small when large flushes come between small ones', () => {
    const table = new Table(1e9)
    for (let flush = 1; flush <= 1500; flush++) {
      table.flush(flush % 3 === 0 ? 100_000 : 1, 0)
      expect(table.segments.length).toBeLessThan(60)
    }
  })
})
