import { randomFillSync } from 'node:crypto'
import { closeSync, fdatasyncSync, fsyncSync, openSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { LockstepError } from '../../../base/error.ts'
import { writeFully } from '../../table/file-bytes.ts'
import { MARK_BYTES } from './wal-frame.ts'

/** "LSL" and the format version. */
const MAGIC = 0x4c534c01
/** Magic (4), mark (8), prune height (8, signed), CRC-32 of these (4). */
const HEAD_BYTES = 24
const CHECKED = 20

/** The head of a write-ahead log, in a separate file. */
export interface WalHead {
  /** The first bytes of every frame. */
  readonly mark: Uint8Array
  /** The lowest height of state to retain; -1 if unset. */
  readonly pruneHeight: number
}

export function newHead(): WalHead {
  return { mark: randomFillSync(new Uint8Array(MARK_BYTES)), pruneHeight: -1 }
}

/** @returns undefined if the log has none. @throws STORE_CORRUPTED */
export function readHead(dir: string): WalHead | undefined {
  const path = join(dir, 'head')
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code === 'ENOENT') return undefined
    throw thrown
  }
  if (
    bytes.length !== HEAD_BYTES ||
    bytes.readUInt32BE(0) !== MAGIC ||
    bytes.readUInt32BE(CHECKED) !== crc32(bytes.subarray(0, CHECKED))
  ) {
    throw new LockstepError('STORE_CORRUPTED', `write-ahead log: ${path} is damaged`)
  }
  return {
    mark: bytes.subarray(4, 4 + MARK_BYTES),
    pruneHeight: Number(bytes.readBigInt64BE(4 + MARK_BYTES)),
  }
}

/** Replaces the head: a crash leaves either the old or the new one. Durable on return. */
export function writeHead(dir: string, { mark, pruneHeight }: WalHead): void {
  const bytes = Buffer.alloc(HEAD_BYTES)
  bytes.writeUInt32BE(MAGIC)
  bytes.set(mark, 4)
  bytes.writeBigInt64BE(BigInt(pruneHeight), 4 + MARK_BYTES)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, CHECKED)), CHECKED)
  const path = join(dir, 'head')
  const temporary = `${path}.tmp`
  const file = openSync(temporary, 'w', 0o600)
  try {
    writeFully(file, bytes)
    fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  syncDirectory(dir)
}

/** Makes the creation, renaming and removal of files in `dir` durable. */
export function syncDirectory(dir: string): void {
  const file = openSync(dir, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
