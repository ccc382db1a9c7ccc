import { cpSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DevJournal } from '../../../../host/chain/dev/dev-journal.ts'
import type { DevRecord, DevSnapshot } from '../../../../host/chain/dev/dev-memory.ts'
import { NextBlockOverrides } from '../../../../host/chain/dev/next-block-overrides.ts'
import { amendment } from './driven-home.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lockstep-journal-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const settings = new NextBlockOverrides().state

function mark(height: number, amendments = 0): DevSnapshot {
  const clock = { now: 7n, nextTime: undefined, interval: undefined }
  return { height, amendments, clock, settings }
}

function record(...snapshots: readonly (readonly [bigint, DevSnapshot])[]): DevRecord {
  return { snapshots: new Map(snapshots), nextSnapshot: 9n, offset: 3n, settings }
}

/** Returns an amendment of this many bytes. */
function large(bytes: number) {
  return amendment({ codes: [{ codeHash: new Uint8Array(32), code: new Uint8Array(bytes) }] })
}

/** Opens the journal as the next process finds it if this one is killed now. */
function afterKill(): DevJournal {
  const copy = mkdtempSync(join(dir, 'killed-'))
  cpSync(join(dir, 'journal'), join(copy, 'journal'))
  return new DevJournal(copy)
}

test('the journal records whether the previous run wrote late and was killed, even if it wrote nothing', () => {
  const first = new DevJournal(dir)
  expect(first.mayDiverge).toBe(false)
  first.open(true)
  expect(afterKill().mayDiverge).toBe(true)
  first.close()
  const second = new DevJournal(dir)
  expect(second.mayDiverge).toBe(false)
  second.open(true)
  second.save(record())
  expect(afterKill().mayDiverge).toBe(true)
  second.close()
})

test('a run that syncs its stores never leaves them at different heights, whether it was closed or killed', () => {
  const late = new DevJournal(dir)
  late.open(true)
  late.amend(1, amendment({}))
  const synced = afterKill()
  expect(synced.mayDiverge).toBe(true)
  synced.open(false)
  expect(synced.mayDiverge).toBe(false)
  synced.close()
  late.close()
  const next = new DevJournal(dir)
  next.open(false)
  next.save(record())
  expect(afterKill().mayDiverge).toBe(false)
  next.close()
})

test('a compacted journal still records that its run writes late', () => {
  const journal = new DevJournal(dir)
  journal.open(true)
  journal.amend(1, large(5 * 1024 * 1024))
  expect(afterKill().mayDiverge).toBe(true)
  journal.close()
})

test('a removal of blocks and the state after it are recorded together', () => {
  const journal = new DevJournal(dir)
  const kept = mark(1)
  journal.save(record([1n, kept], [2n, mark(2)], [3n, mark(2, 1)]))
  journal.amend(2, amendment({}))
  const goesOn = { ...record([1n, kept]), offset: 5n }
  journal.beginRemoval({ height: 2, amendments: 0, record: goesOn })
  for (const each of [journal, afterKill()]) {
    expect(each.record).toEqual(goesOn)
    expect(each.diffs(2)).toEqual([])
    expect(each.unfinishedRemoval).toMatchObject({ height: 2, amendments: 0 })
  }
  journal.endRemoval()
  expect(afterKill().unfinishedRemoval).toBeUndefined()
  journal.close()
})

test('a recovery that removes blocks also removes their snapshots', () => {
  const journal = new DevJournal(dir)
  journal.save(record([1n, mark(1)], [2n, mark(2, 1)], [3n, mark(2, 2)], [4n, mark(3)]))
  journal.beginRemoval({ height: 2, amendments: 1 })
  expect([...(afterKill().record?.snapshots.keys() ?? [])]).toEqual([1n, 2n])
  journal.close()
})

test('a journal that is compacted during a removal of blocks still records the removal', () => {
  const journal = new DevJournal(dir)
  const size = () => statSync(join(dir, 'journal')).size
  const MIB = 1024 * 1024
  journal.amend(4, large(3 * MIB))
  journal.beginRemoval({ height: 3, amendments: 0, record: record() })
  const grown = { ...record(), settings: { ...settings, prevRandao: new Uint8Array(2 * MIB) } }
  journal.save(grown)
  const killed = afterKill()
  expect(killed.unfinishedRemoval).toMatchObject({ height: 3, amendments: 0 })
  expect(killed.record).toEqual(grown)
  expect(size()).toBeGreaterThan(5 * MIB)
  journal.endRemoval()
  expect(size()).toBeLessThan(3 * MIB)
  expect(afterKill().record).toEqual(grown)
  journal.save(record())
  expect(afterKill().record).toEqual(record())
  journal.close()
})
