// Plain JavaScript without dependencies, which every start loads: it reads one stamp, and the times of files.
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/**
 * A change that comes within so many milliseconds of a record may leave the times of a file as they were recorded.
 */
const UNSURE_MS = 50

/** Size and times of a file or folder; none of what is not there. */
function timesOf(root, path) {
  const stat = statSync(`${root}${path}`, { throwIfNoEntry: false })
  return stat === undefined ? [] : [stat.size, stat.mtimeMs, stat.ctimeMs]
}

/** The folder, those below it and all files in them, as paths below the root. */
function listBelow(root, folder) {
  const paths = [folder]
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) paths.push(...listBelow(root, path))
    else paths.push(path)
  }
  return paths
}

/**
 * Records the times of files, and of folders with all that is below them: a folder changes when a name in it does.
 *
 * @param root with a separator at its end
 */
export function timesOfAll(root, { files, folders }) {
  const listed = folders.flatMap((folder) => listBelow(root, folder))
  const paths = [...new Set([...files, ...listed])]
  const times = paths.map((path) => [path, ...timesOf(root, path)])
  return { at: Date.now(), times }
}

/**
 * Keeps what was current: files of these times, and what was built from them. Written whole or not at all; without a
 * stamp contents are compared at each start.
 */
export function keepStamp(stamp, { at, times }, built) {
  const fresh = `${stamp}.${process.pid}`
  try {
    writeFileSync(fresh, JSON.stringify({ at, times, built }))
    renameSync(fresh, stamp)
  } catch {
    try {
      rmSync(fresh, { force: true })
    } catch {
      // A checkout that cannot be written: there is nothing to remove
    }
  }
}

/**
 * Returns what was built if no file has changed since the stamp. Undefined says that contents must be compared: a file
 * may have been written again as it was.
 */
export function readStamp(root, stamp) {
  try {
    const { at, times, built } = JSON.parse(readFileSync(stamp, 'utf8'))
    const latest = at - UNSURE_MS
    const isUnchanged = ([path, size, modified, changed]) => {
      const [sizeNow, modifiedNow, changedNow] = timesOf(root, path)
      const isSame = sizeNow === size && modifiedNow === modified && changedNow === changed
      return isSame && modified < latest && changed < latest
    }
    const isCurrent =
      times.every(isUnchanged) && built.every((path) => existsSync(join(root, path)))
    return isCurrent ? built : undefined
  } catch {
    return undefined
  }
}
