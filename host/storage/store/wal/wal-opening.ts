import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../../base/error.ts'
import { readFully } from '../../table/file-bytes.ts'
import { storeError } from '../../table/store-error.ts'
import { decodeRecord } from '../codec/record-codec.ts'
import { FRAME_HEADER, scanFrames } from './wal-frame.ts'
import { newHead, readHead, syncDirectory, type WalHead, writeHead } from './wal-head.ts'

/** A file of the write-ahead log: the frames of heights from `first` on. */
export interface WalFile {
  readonly path: string
  readonly first: number
  /** Offset of each frame. */
  readonly offsets: number[]
  /** End of the last frame. */
  end: number
}

/** A torn write of a crash, truncated from the end of a write-ahead log. */
export interface WalRepair {
  readonly file: string
  readonly offset: number
  readonly bytes: number
}

export interface OpenedWal {
  readonly head: WalHead
  /** By height, without gaps. None is empty. */
  readonly files: WalFile[]
  readonly repaired: WalRepair | undefined
}

const NAME = /^(\d{16})\.log$/

export function walPath(dir: string, first: number): string {
  return join(dir, `${String(first).padStart(16, '0')}.log`)
}

/** While this file exists in a log's directory, a power failure may leave the end of the latest file unsynced. */
const LATE = 'late'

/**
 * Reads the write-ahead log in `dir`, truncates a torn end, and makes all of it durable; creates one if there is
 * none. @param isLate - True if records will be acknowledged before they are on disk.
 * @throws STORE_CORRUPTED if anything other than the very last write is damaged or missing
 */
export function openWal(dir: string, isLate = false): OpenedWal {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    refuseFormerFormat(dir)
    const paths = readdirSync(dir)
      .filter((name) => NAME.test(name))
      .sort()
    const head = readHead(dir) ?? beginWal(dir, paths)
    const late = join(dir, LATE)
    const wasLate = existsSync(late)
    let buffer: Buffer = Buffer.alloc(0)
    let repaired: WalRepair | undefined
    const files: WalFile[] = []
    for (const [place, name] of paths.entries()) {
      const path = join(dir, name)
      const first = Number(NAME.exec(name)?.[1])
      checkNext(files.at(-1), path, first)
      const bytes = readWhole(path, buffer)
      if (bytes.length > buffer.length) buffer = bytes
      const { offsets, end, broken } = scanFrames(bytes, head.mark, first)
      const isNewest = place === paths.length - 1
      // Unsynced pages reach the disk in any order, so whole records may follow a torn one.
      if (broken !== undefined && !(isNewest && (wasLate || broken === 'torn'))) {
        throw corrupted(path, `at offset ${end} ${BROKEN[broken]}`, { path, offset: end })
      }
      if (broken !== undefined) repaired = { file: path, offset: end, bytes: bytes.length - end }
      if (isNewest) settle(path, end)
      if (end > 0) files.push({ path, first, offsets, end })
      else if (!isNewest) throw corrupted(path, 'it is empty', { path, offset: 0 })
    }
    if (isLate && !wasLate) writeFileSync(late, '')
    else if (wasLate && !isLate) unlinkSync(late)
    syncDirectory(dir)
    return { head, files, repaired }
  } catch (thrown) {
    throw storeError(dir, thrown)
  }
}

/** Reads a write-ahead log without changing it. @returns its records, and findings: damaged records */
export function verifyWal(dir: string): { rows: number; findings: string[] } {
  const paths = existsSync(dir) ? readdirSync(dir).filter((name) => NAME.test(name)) : []
  const head = existsSync(dir) ? readHead(dir) : undefined
  if (head === undefined) {
    if (paths.length > 0) throw headMissing(dir)
    return { rows: 0, findings: [] }
  }
  let rows = 0
  const findings: string[] = []
  const files: WalFile[] = []
  for (const name of paths.sort()) {
    const path = join(dir, name)
    const first = Number(NAME.exec(name)?.[1])
    checkNext(files.at(-1), path, first)
    const bytes = readWhole(path, Buffer.alloc(0))
    const { offsets, end, broken } = scanFrames(bytes, head.mark, first)
    if (broken !== undefined) findings.push(`${path}: at offset ${end} a record is damaged`)
    for (const [i, offset] of offsets.entries()) {
      const stop = offsets[i + 1] ?? end
      decodeRecord(first + i, bytes.subarray(offset + FRAME_HEADER, stop))
    }
    rows += offsets.length
    files.push({ path, first, offsets, end })
  }
  return { rows, findings }
}

const BROKEN = {
  torn: 'a record is damaged, and a later file follows',
  followed: 'a record is damaged, and later records follow',
  misplaced: 'there is the record of another height',
}

function corrupted(path: string, what: string, data: Record<string, unknown>): LockstepError {
  return new LockstepError('STORE_CORRUPTED', `write-ahead log ${path}: ${what}`, { data })
}

function refuseFormerFormat(dir: string): void {
  if (!existsSync(join(dir, 'data.mdb'))) return
  throw new LockstepError(
    'STORE_CORRUPTED',
    `${dir} holds a write-ahead log of an earlier format (data.mdb), which cannot be read`,
    { hint: 'start with an empty data directory: sync the chain again, or import it' },
  )
}

function headMissing(dir: string): LockstepError {
  return new LockstepError('STORE_CORRUPTED', `write-ahead log: ${join(dir, 'head')} is missing`)
}

function beginWal(dir: string, paths: readonly string[]): WalHead {
  if (paths.length > 0) {
    throw headMissing(dir)
  }
  const head = newHead()
  writeHead(dir, head)
  return head
}

function checkNext(before: WalFile | undefined, path: string, first: number): void {
  if (before === undefined || first === before.first + before.offsets.length) return
  const next = before.first + before.offsets.length
  throw corrupted(path, `the file before it ends with height ${next - 1}`, { path, height: next })
}

/** Returns all of a file, in `buffer` if it has room. */
function readWhole(path: string, buffer: Buffer): Buffer {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const bytes = size <= buffer.length ? buffer : Buffer.allocUnsafeSlow(size)
    return bytes.subarray(0, readFully(file, bytes, size, 0))
  } finally {
    closeSync(file)
  }
}

/** Truncates the latest file to its frames, which the previous process may not have synced, and syncs it. */
function settle(path: string, end: number): void {
  if (end === 0) {
    unlinkSync(path)
    return
  }
  const file = openSync(path, 'r+')
  try {
    ftruncateSync(file, end)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
