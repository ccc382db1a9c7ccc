import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError, messageOf } from '../../base/error.ts'
import type { Recording, Replayer } from '../../entry/replay.ts'

function unreadable(path: string, cause: unknown): LockstepError {
  return new LockstepError('BUNDLE_INVALID', `${path}: cannot be read: ${messageOf(cause)}`, {
    hint: 'name a file or a folder of files written by `lockstep record`',
    cause,
  })
}

/** Returns the bundle files at a path: the file itself, or each .json of a folder by name. @throws BUNDLE_INVALID */
export function bundleFiles(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path]
    const names = readdirSync(path).filter((name) => name.endsWith('.json'))
    if (names.length === 0) throw new Error('the folder has no .json file')
    return names.sort().map((name) => join(path, name))
  } catch (thrown) {
    throw unreadable(path, thrown)
  }
}

/** Reads and checks a bundle. @throws BUNDLE_INVALID naming the file, the member and the rule. */
export async function readBundle(path: string, replayer: Replayer): Promise<Recording> {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8'))
  } catch (thrown) {
    throw unreadable(path, thrown)
  }
  try {
    return await replayer.read(json)
  } catch (thrown) {
    throw new LockstepError('BUNDLE_INVALID', `${path}: ${messageOf(thrown)}`, { cause: thrown })
  }
}
