import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LockstepError } from '../../../../host/base/error.ts'
import { Segment } from '../../../../host/storage/table/segment.ts'
import { makeRandom } from '../../../support/random.ts'
import { bySet } from '../../../support/run/by-set.ts'
import { randomRows, rowsOf, temporaryDir, VersionModel, writeSegment } from './version-model.ts'

const NO_BYTES = new Uint8Array(0)
const ABOVE_ALL = new Uint8Array(4).fill(255)

/** Returns the results of all reads, or the error. */
function readAll(path: string, model: VersionModel): unknown {
  let segment: Segment | undefined
  try {
    segment = Segment.open(path)
    const found = model.rows.map(({ key, height }) => segment?.find(key, height))
    return [found, [...segment.keys(NO_BYTES, ABOVE_ALL, true)], rowsOf(segment)]
  } catch (thrown) {
    return thrown
  } finally {
    segment?.release()
  }
}

test('every damaged byte of a segment file is reported with the file and the offset', () => {
  const rows = randomRows(makeRandom(1), 30, 1, 9).filter(({ value }) => value.length < 100)
  const model = new VersionModel(rows)
  const path = join(temporaryDir(), 'segment')
  writeSegment(path, rows).release()
  const bytes = readFileSync(path)
  const whole = readAll(path, model)
  expect(whole).toEqual([
    model.rows.map(({ height, value }) => ({ height, value })),
    model.distinctKeys().toReversed(),
    model.rows,
  ])
  for (let at = 0; at < bytes.length; at++) {
    for (const flip of bySet([at % 2 === 0 ? 1 : 0xff], [1, 0xff])) {
      const damaged = bytes.slice()
      damaged[at] = (damaged[at] as number) ^ flip
      writeFileSync(path, damaged)
      const told = readAll(path, model)
      expect(told).toBeInstanceOf(LockstepError)
      expect(told).toMatchObject({
        code: 'STORE_CORRUPTED',
        message: expect.stringContaining(`segment ${path}: offset `),
      })
    }
  }
})

test('a segment file that is truncated or too long is reported', () => {
  const rows = randomRows(makeRandom(2), 30, 1, 9).filter(({ value }) => value.length < 100)
  const path = join(temporaryDir(), 'segment')
  writeSegment(path, rows).release()
  const bytes = readFileSync(path)
  for (let length = 0; length < bytes.length; length++) {
    writeFileSync(path, bytes.subarray(0, length))
    expect(() => Segment.open(path)).toThrow(expect.objectContaining({ code: 'STORE_CORRUPTED' }))
  }
  for (const more of [new Uint8Array(1), new Uint8Array(64), bytes]) {
    writeFileSync(path, Buffer.concat([bytes, more]))
    expect(() => Segment.open(path)).toThrow(expect.objectContaining({ code: 'STORE_CORRUPTED' }))
  }
})

test('a segment file that is truncated or deleted while it is open is reported', () => {
  const rows = randomRows(makeRandom(3), 500, 1, 9)
  const path = join(temporaryDir(), 'segment')
  const segment = writeSegment(path, rows)
  writeFileSync(path, new Uint8Array(3))
  const told = expect.objectContaining({ code: 'STORE_CORRUPTED' })
  const { key } = rows[0] as { key: Uint8Array }
  expect(() => segment.find(key, 9)).toThrow(told)
  expect(() => [...segment.keys(NO_BYTES, ABOVE_ALL, false)]).toThrow(told)
  expect(() => rowsOf(segment)).toThrow(told)
  segment.release()
  expect(() => Segment.open(join(path, 'none'))).toThrow(told)
})
