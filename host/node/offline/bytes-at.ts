import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the size of a file, or of all files below a folder; 0 if it does not exist. */
export function bytesAt(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return 0
  if (!stat.isDirectory()) return stat.size
  return readdirSync(path).reduce((sum, name) => sum + bytesAt(join(path, name)), 0)
}
