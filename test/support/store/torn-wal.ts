import { appendFileSync, readdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { frameHeader, scanFrames } from '../../../host/storage/store/wal/wal-frame.ts'
import { readHead } from '../../../host/storage/store/wal/wal-head.ts'

/** The latest file of a write-ahead log on disk. */
export interface WalEnd {
  readonly path: string
  readonly size: number
  /** Offset after the last complete record. */
  readonly end: number
  /** Latest complete height. */
  readonly latest: number
  /** Offset of the latest record. */
  readonly lastOffset: number
}

export function walEnd(dataDir: string): WalEnd {
  const dir = join(dataDir, 'wal')
  const name = readdirSync(dir)
    .filter((each) => each.endsWith('.log'))
    .sort()
    .at(-1)
  const mark = readHead(dir)?.mark
  if (name === undefined || mark === undefined) throw new Error(`${dir} holds no log`)
  const path = join(dir, name)
  const first = Number(name.slice(0, -'.log'.length))
  const bytes = readFileSync(path)
  const { offsets, end } = scanFrames(bytes, mark, first)
  const latest = first + offsets.length - 1
  return { path, size: bytes.length, end, latest, lastOffset: offsets.at(-1) ?? 0 }
}

/** Appends the first `bytes` of the next record, like an interrupted write. */
export function tearNext(dataDir: string, record: Uint8Array, bytes: number): void {
  const { path, latest } = walEnd(dataDir)
  const { mark } = readHead(join(dataDir, 'wal')) as { mark: Uint8Array }
  const frame = Buffer.concat([frameHeader(mark, latest + 1, record), record])
  appendFileSync(path, frame.subarray(0, Math.min(bytes, frame.length - 1)))
}

/** Appends bytes that no log has written. */
export function appendNoise(dataDir: string, noise: Uint8Array): void {
  appendFileSync(walEnd(dataDir).path, noise)
}

/** Truncates the file within its latest record. */
export function cutNewest(dataDir: string, bytes: number): void {
  const { path, end, lastOffset } = walEnd(dataDir)
  truncateSync(path, Math.max(lastOffset, end - Math.max(1, bytes)))
}
