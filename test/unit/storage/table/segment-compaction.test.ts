import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Segment } from '../../../../host/storage/table/segment.ts'
import { compactSegments } from '../../../../host/storage/table/segment-compaction.ts'
import { SegmentWriter } from '../../../../host/storage/table/segment-writer.ts'
import { makeRandom } from '../../../support/random.ts'
import {
  type ModelRow,
  randomRows,
  rowsOf,
  seed,
  temporaryDir,
  VersionModel,
  writeSegment,
} from './version-model.ts'

function compact(
  path: string,
  inputs: readonly Segment[],
  options: { pruneHeight: number; isBottom: boolean },
): Segment {
  let keys = 0
  for (const { summary } of inputs) keys += summary.keys
  const writer = new SegmentWriter(path, keys)
  for (const _ of compactSegments(inputs, writer, options));
  writer.finish()
  return Segment.open(path)
}

/** Returns the rows that a compaction keeps, decided row by row. */
function keptRows(model: VersionModel, pruneHeight: number, isBottom: boolean): ModelRow[] {
  return model.rows.filter((row) => {
    if (row.height > pruneHeight) return true
    const isNewest = model.find(row.key, pruneHeight)?.height === row.height
    return isNewest && !(isBottom && row.value.length === 0)
  })
}

test(`a compaction preserves every read from the prune height on (LOCKSTEP_SEED=${seed})`, () => {
  const random = makeRandom(seed)
  const dir = temporaryDir()
  const tiers = [1, 2, 3, 4].map((tier) =>
    randomRows(random, tier === 1 ? 300 : 60, 10 * tier, 10 * tier + 9),
  )
  const inputs = tiers.map((rows, tier) => writeSegment(join(dir, `${tier}`), rows)).reverse()
  const model = new VersionModel(tiers.flat())
  const keys = model.distinctKeys()
  for (let pruneHeight = 8; pruneHeight <= 51; pruneHeight++) {
    for (const isBottom of [false, true]) {
      const compacted = compact(join(dir, 'compacted'), inputs, { pruneHeight, isBottom })
      const kept = keptRows(model, pruneHeight, isBottom)
      expect(rowsOf(compacted)).toEqual(kept)
      expect(compacted.summary.rows).toBe(kept.length)
      expect(compacted.summary.keys).toBe(new VersionModel(kept).distinctKeys().length)
      const found: unknown[] = []
      const expected: unknown[] = []
      for (const key of keys) {
        for (let height = Math.max(pruneHeight, 10); height <= 51; height += 3) {
          const version = model.find(key, height)
          const isDropped = isBottom && version?.value.length === 0 && version.height <= pruneHeight
          expected.push(isDropped ? undefined : version)
          found.push(compacted.find(key, height))
        }
      }
      expect(found).toEqual(expected)
      compacted.release()
    }
  }
  for (const input of inputs) input.release()
})

test('a merge in steps gives the same rows as a merge at once', () => {
  const dir = temporaryDir()
  const random = makeRandom(5)
  const tiers = [1, 2, 3].map((tier) => randomRows(random, 400, 10 * tier, 10 * tier + 9))
  const [a, b, c] = tiers.map((rows, i) => writeSegment(join(dir, `${i}`), rows)) as [
    Segment,
    Segment,
    Segment,
  ]
  const options = { pruneHeight: 0, isBottom: false }
  const upper = compact(join(dir, 'upper'), [c, b], options)
  const stepwise = compact(join(dir, 'stepwise'), [upper, a], options)
  const atOnce = compact(join(dir, 'at-once'), [c, b, a], options)
  expect(rowsOf(stepwise)).toEqual(rowsOf(atOnce))
  // The file sizes differ: the filter shrinks to a divisor of its initial size.
  const { bytes: _, ...counts } = atOnce.summary
  expect(stepwise.summary).toMatchObject(counts)
  for (const segment of [a, b, c, upper, stepwise, atOnce]) segment.release()
})

test('a compaction can pause, and releases its inputs when it is abandoned', () => {
  const dir = temporaryDir()
  const rows: ModelRow[] = Array.from({ length: 200_000 }, (_, i) => {
    const key = new Uint8Array(20)
    new DataView(key.buffer).setUint32(0, i)
    return { key, height: 1, value: key }
  })
  const input = writeSegment(join(dir, 'input'), rows)
  const writer = new SegmentWriter(join(dir, 'compacted'), rows.length)
  const steps = compactSegments([input], writer, { pruneHeight: 0, isBottom: true })
  expect(steps.next().done).toBe(false)
  input.release()
  expect(input.find(rows[0]?.key as Uint8Array, 1)).toBeDefined()
  steps.return()
  writer.abort()
  expect(() => input.find(rows[0]?.key as Uint8Array, 1)).toThrow(
    expect.objectContaining({ code: 'STORE_CORRUPTED' }),
  )
})
