import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { UnsyncedLog } from '../../../../../host/storage/store/wal/unsynced-log.ts'
import { newHead, readHead, writeHead } from '../../../../../host/storage/store/wal/wal-head.ts'
import { makeKeyFile } from '../../../../../host/wallet/launch/master-source.ts'

/** Most bytes that one call writes, as on a nearly full file system or after a signal. */
const SHORT = 5

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const writeSync = (file: number, bytes: Uint8Array, at = 0, length = bytes.length - at) =>
    fs.writeSync(file, bytes, at, Math.min(length, SHORT))
  return { ...fs, writeSync }
})

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'short-write-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

// Of the slow set: a file there has a process of its own, so that its `node:fs` stands in for no other file's.
test('the head of the write-ahead log is whole though each call writes a part of it', () => {
  const folder = makeFolder()
  const head = { ...newHead(), pruneHeight: 41 }
  writeHead(folder, head)
  const { mark, pruneHeight } = readHead(folder) ?? {}
  expect({ mark: new Uint8Array(mark ?? []), pruneHeight }).toEqual(head)
})

test('an unsynced log keeps its mark and its records though each call writes a part of them', () => {
  const path = join(makeFolder(), 'log')
  const log = new UnsyncedLog(path)
  log.append(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8))
  log.clear()
  log.append(Uint8Array.of(9, 10, 11, 12, 13, 14, 15))
  log.close()
  const again = new UnsyncedLog(path)
  onTestFinished(() => again.close())
  expect(again.records).toEqual([Uint8Array.of(9, 10, 11, 12, 13, 14, 15)])
})

test('a key file has its whole key though each call writes a part of it', () => {
  const path = join(makeFolder(), 'master.key')
  makeKeyFile(path)
  expect(readFileSync(path, 'latin1')).toMatch(/^[0-9a-f]{64}\n$/)
})
