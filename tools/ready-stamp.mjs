// Plain JavaScript without dependencies, which every start loads. It reads one stamp, and the times of files.
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

/** A change within this many milliseconds of a record may leave the recorded times unchanged. */
const UNSURE_MS = 50

/** Returns size and times of a file or folder, or undefined if it does not exist. */
function timesOf(root, path) {
  const stat = statSync(`${root}${path}`, { throwIfNoEntry: false })
  return stat === undefined ? [] : [stat.size, stat.mtimeMs, stat.ctimeMs]
}

/** Returns the folder, its subfolders and all their files, as paths relative to the root. */
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
 * Records the times of files, and of folders with everything below them: a folder changes when a name in it does.
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
 * Records the times of files, and what was built from them. The write is atomic. Without a stamp, each start compares
 * contents.
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
      // The checkout is read-only: there is nothing to remove
    }
  }
}

/**
 * Returns what was built if no file has changed since the stamp. Undefined means that contents must be compared: a
 * file may have been rewritten with the same content.
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
