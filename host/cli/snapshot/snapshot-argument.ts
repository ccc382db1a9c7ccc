import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import { findSnapshot } from '../../chain/snapshot/snapshot-dir.ts'
import { defaultHome, type Home, homeAt, snapshotFolder } from '../../node/home/home.ts'
import { configOf } from '../option/home-option.ts'

/** The argument of commands for a snapshot. */
export const SNAPSHOT_ARGUMENT = [
  '<snapshot>',
  'folder of the snapshot, or the height of one that this home or the default one has exported',
] as const

/** The snapshot of an argument. */
export interface NamedSnapshot {
  readonly dir: string
  /** The home that contains it, if it was found by height. */
  readonly source: Home | undefined
}

function folderOf(home: Home): string {
  const config = configOf(home)
  return snapshotFolder(home, config)
}

/**
 * Returns the snapshot that an argument names.
 * @throws NOT_FOUND if no home has one of the height, SNAPSHOT_INVALID
 */
export function namedSnapshot(text: string, home: Home): NamedSnapshot {
  const dir = resolve(text)
  if (!/^[1-9]\d{0,14}$/.test(text) || existsSync(dir)) return { dir, source: undefined }
  const homes = [home, homeAt(defaultHome(process.env, false))]
  for (const source of homes) {
    const found = findSnapshot(folderOf(source), Number(text))
    if (found !== undefined) return { dir: found.dir, source }
  }
  const folders = new Set(homes.map(folderOf))
  throw new LockstepError('NOT_FOUND', `no snapshot ${text} in ${[...folders].join(' or ')}`, {
    hint: 'name its folder, or a height that `lockstep snapshot list` shows',
  })
}
