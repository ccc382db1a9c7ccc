import { closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError, messageOf } from '../../base/error.ts'
import { requireCount } from '../../base/writable.ts'
import { writeFileAtomic } from '../../chain/consensus/validator/atomic-file.ts'

/** A rollback in progress. While its file exists, the stores of the home may have different heights. */
export interface UnfinishedRollback {
  /** Height that all stores are rolled back to. */
  readonly target: number
  /** True if the blocks above it are removed too. */
  readonly hard: boolean
  /** True if the validator may sign the same heights again. */
  readonly signAgain: boolean
  /** True after CometBFT, which has its own databases, is at its target. */
  readonly isCometBack?: boolean
}

function pathIn(dataDir: string): string {
  return join(dataDir, 'rollback.json')
}

/** @throws STORE_CORRUPTED */
export function readRollback(dataDir: string): UnfinishedRollback | undefined {
  const path = pathIn(dataDir)
  if (!existsSync(path)) return undefined
  try {
    const { target, hard, signAgain, isCometBack } = JSON.parse(readFileSync(path, 'utf8'))
    if (!Number.isSafeInteger(target) || target < 0) throw new TypeError(`target ${target}`)
    return {
      target,
      hard: hard === true,
      signAgain: signAgain === true,
      ...(isCometBack === true && { isCometBack }),
    }
  } catch (cause) {
    throw new LockstepError('STORE_CORRUPTED', `cannot read ${path}: ${messageOf(cause)}`, {
      hint: `write {"target": HEIGHT} into it with the height of the rollback, and run \`lockstep rollback\` again`,
      cause,
    })
  }
}

/** Durable when it resolves. */
export function writeRollback(dataDir: string, rollback: UnfinishedRollback): Promise<void> {
  requireCount(rollback.target, 'a height')
  return writeFileAtomic(pathIn(dataDir), `${JSON.stringify(rollback)}\n`)
}

/** Deletes the rollback's file, after which the home can be started. */
export function endRollback(dataDir: string): void {
  rmSync(pathIn(dataDir))
  const directory = openSync(dataDir, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

/** Rejects a home whose rollback is not finished. @throws ROLLBACK_UNFINISHED */
export function refuseUnfinishedRollback(dataDir: string): void {
  const rollback = readRollback(dataDir)
  if (rollback === undefined) return
  throw new LockstepError(
    'ROLLBACK_UNFINISHED',
    `the rollback of ${dataDir} to height ${rollback.target} is not finished`,
  )
}
