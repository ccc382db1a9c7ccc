import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { WriteAheadLog } from '../../../../../host/storage/store/wal/write-ahead-log.ts'

/** Bytes of the header before a record. */
export const FRAME = 24

export function record(height: number): Uint8Array {
  return new TextEncoder().encode(`record of height ${height}`)
}

/** Writes a log with three records per file of 100 bytes; the last file has two. */
export async function writeSmallWal(dir: string): Promise<string[]> {
  const wal = WriteAheadLog.open(dir, { fileBytes: 100 })
  for (let height = 7; height <= 14; height++) await wal.append(height, record(height))
  wal.raisePruneHeight(9)
  await wal.close()
  return filesOf(dir)
}

export function filesOf(dir: string): string[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith('.log'))
    .sort()
    .map((name) => join(dir, name))
}

export function expectRecords(wal: WriteAheadLog, earliest: number, latest: number): void {
  expect([wal.earliest, wal.latest]).toEqual([earliest, latest])
  for (let height = Math.max(earliest, 0); height <= latest; height++) {
    expect(wal.read(height)).toEqual(record(height))
  }
}

/** Opens a write-ahead log that lost its end, and checks that it accepts more records. */
export async function expectRepaired(dir: string, latest: number, bytes: number): Promise<void> {
  const wal = WriteAheadLog.open(dir)
  expectRecords(wal, 7, latest)
  expect(wal.repaired?.bytes ?? 0).toBe(bytes)
  await wal.append(latest + 1, record(latest + 1))
  await wal.close()
  const again = WriteAheadLog.open(dir)
  expect(again.repaired).toBeUndefined()
  expectRecords(again, 7, latest + 1)
  await again.close()
}
