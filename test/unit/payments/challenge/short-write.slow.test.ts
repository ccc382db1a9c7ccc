import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { IssueLog } from '../../../../host/payments/challenge/issue-log.ts'

const disk = vi.hoisted(() => ({ room: Number.POSITIVE_INFINITY }))

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  /** Takes as many bytes as the disk has room for, as a nearly full file system does, and none after. */
  const writeSync = (file: number, bytes: Uint8Array, at: number, length: number) => {
    if (disk.room === 0) throw Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC' })
    const taken = fs.writeSync(file, bytes, at, Math.min(length, disk.room))
    disk.room -= taken
    return taken
  }
  return { ...fs, writeSync }
})

// Of the slow set: a file there has a process of its own, so that its `node:fs` stands in for no other file's.
test('a challenge whose row only partly fits on the disk is refused, and a later one is read after a restart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'issued-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const log = new IssueLog(folder, 3_600n)
  disk.room = 5
  expect(() => log.add('/weather', 7_200n)).toThrow('ENOSPC')
  disk.room = Number.POSITIVE_INFINITY
  log.add('/weather', 7_201n)
  log.close()
  const restarted = new IssueLog(folder, 3_600n)
  onTestFinished(() => restarted.close())
  expect(restarted.within('/weather', 7_200n, 7_200n)).toBe(false)
  expect(restarted.within('/weather', 7_201n, 7_201n)).toBe(true)
  expect(readFileSync(join(folder, 'issued-2.log'), 'utf8')).toMatch(/^7200 \n7201 \/weather =/)
})
