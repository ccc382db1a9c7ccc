import { existsSync, readFileSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LockstepError, messageOf } from '../../base/error.ts'
import { writeFileAtomic } from '../consensus/validator/atomic-file.ts'
import type { StreamPosition } from './stream-reader.ts'

/** The progress of an import. While its file lies in a home, the home has no chain. */
export interface ImportProgress {
  /** Hash of the snapshot. */
  readonly snapshot: string
  readonly height: number
  /** Chunks whose content is on disk, and where the stream goes on behind them. */
  readonly chunks: number
  readonly position: StreamPosition
  /** True when the state commit is complete and proven: only the state store is left. */
  readonly isProven: boolean
}

const NAME = 'snapshot-import.json'

function pathIn(dataDir: string): string {
  return join(dataDir, NAME)
}

/** @throws STORE_CORRUPTED */
export function readProgress(dataDir: string): ImportProgress | undefined {
  const path = pathIn(dataDir)
  if (!existsSync(path)) return undefined
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ImportProgress
  } catch (cause) {
    throw new LockstepError('STORE_CORRUPTED', `cannot read ${path}: ${messageOf(cause)}`, {
      hint: 'run `lockstep consensus unsafe-reset-all` and import again',
      cause,
    })
  }
}

/** Durable when it resolves. */
export function writeProgress(dataDir: string, progress: ImportProgress): Promise<void> {
  return writeFileAtomic(pathIn(dataDir), `${JSON.stringify(progress, null, 2)}\n`)
}

/** Ends the import: from now on the home has a chain. */
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

/** Refuses a home whose import is not finished. @throws IMPORT_UNFINISHED */
export function refuseUnfinishedImport(dataDir: string): void {
  const progress = readProgress(dataDir)
  if (progress === undefined) return
  throw new LockstepError(
    'IMPORT_UNFINISHED',
    `the import of the snapshot of height ${progress.height} into ${dataDir} is not finished`,
  )
}
