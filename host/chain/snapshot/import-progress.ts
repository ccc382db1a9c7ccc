import { existsSync, readFileSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LockstepError, messageOf } from '../../base/error.ts'
import { writeFileAtomic } from '../consensus/validator/atomic-file.ts'
import type { StreamPosition } from './stream-reader.ts'

/** Progress of an import. While its file exists, the home has no chain. */
export interface SnapshotImportProgress {
  /** Hash of the snapshot. */
  readonly snapshot: string
  readonly height: number
  /** Number of chunks whose content is on disk, and the stream position after them. */
  readonly chunks: number
  readonly position: StreamPosition
  /** True if the state commit is complete and proven: only the state store remains. */
  readonly isProven: boolean
}

const NAME = 'snapshot-import.json'

function pathIn(dataDir: string): string {
  return join(dataDir, NAME)
}

/** @throws STORE_CORRUPTED */
export function readProgress(dataDir: string): SnapshotImportProgress | undefined {
  const path = pathIn(dataDir)
  if (!existsSync(path)) return undefined
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as SnapshotImportProgress
  } catch (cause) {
    throw new LockstepError('STORE_CORRUPTED', `cannot read ${path}: ${messageOf(cause)}`, {
      hint: 'run `lockstep consensus unsafe-reset-all` and import again',
      cause,
    })
  }
}

/** Resolves when the progress is durable. */
export function writeProgress(dataDir: string, progress: SnapshotImportProgress): Promise<void> {
  return writeFileAtomic(pathIn(dataDir), `${JSON.stringify(progress, null, 2)}\n`)
}

/** Ends the import: the home has a chain from now on. */
export async function endProgress(dataDir: string): Promise<void> {
  const path = pathIn(dataDir)
  rmSync(path)
  const directory = await open(dirname(path), 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/**
 * Rejects a home whose import is unfinished.
 * @throws IMPORT_UNFINISHED
 */
export function refuseUnfinishedImport(dataDir: string): void {
  const progress = readProgress(dataDir)
  if (progress === undefined) return
  throw new LockstepError(
    'IMPORT_UNFINISHED',
    `the import of the snapshot of height ${progress.height} into ${dataDir} is not finished`,
  )
}
