import { closeSync, fsyncSync, ftruncateSync, openSync, unlinkSync } from 'node:fs'
import { storeError } from '../../table/store-error.ts'
import { syncDirectory } from './wal-head.ts'
import { openWal } from './wal-opening.ts'

/**
 * Removes the records above `height` from the write-ahead log in `dir`, which must not be open: the latest first, so
 * that a crash leaves a log without gaps. Durable on return. @throws STORE_CORRUPTED, STORE_FULL
 */
export function cutWal(dir: string, height: number): void {
  const { files } = openWal(dir)
  try {
    for (const { path, first, offsets } of files.toReversed()) {
      if (first > height) {
        unlinkSync(path)
        syncDirectory(dir)
        continue
      }
      const end = offsets[height + 1 - first]
      if (end !== undefined) cutFile(path, end)
      return
    }
  } catch (thrown) {
    throw storeError(dir, thrown)
  }
}

function cutFile(path: string, end: number): void {
  const file = openSync(path, 'r+')
  try {
    ftruncateSync(file, end)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
