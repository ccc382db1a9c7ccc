import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../../chain/consensus/validator/atomic-file.ts'

/** The snapshot a home was restored from, until CometBFT has continued from it. */
export interface RestoredSnapshot {
  /** Hash of the snapshot, 64 hex digits. */
  readonly hash: string
  readonly height: number
}

function pathIn(dataDir: string): string {
  return join(dataDir, 'snapshot-restored.json')
}

/** Returns undefined if there is none, or if the file is unreadable; a home with a chain then keeps it. */
export function readRestored(dataDir: string): RestoredSnapshot | undefined {
  const path = pathIn(dataDir)
  if (!existsSync(path)) return undefined
  try {
    const { hash, height } = JSON.parse(readFileSync(path, 'utf8'))
    return typeof hash === 'string' && Number.isSafeInteger(height) ? { hash, height } : undefined
  } catch {
    return undefined
  }
}

/** Durable when it resolves. */
export function writeRestored(dataDir: string, restored: RestoredSnapshot): Promise<void> {
  return writeFileAtomic(pathIn(dataDir), `${JSON.stringify(restored)}\n`)
}

/** Call when CometBFT has continued: from here on the chain is the home's own. */
export function forgetRestored(dataDir: string): void {
  rmSync(pathIn(dataDir), { force: true })
}
