import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'

/**
 * Damages a file.
 * @param old an earlier version of the file, if there is one
 * @param below draws an integer from 0 up to a limit
 */
export type FileDamage = (
  path: string,
  old: string | undefined,
  below: (limit: number) => number,
) => void

/** Returns the relative paths of all files below a folder, in order. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}

function flip(path: string, count: number, below: (limit: number) => number): void {
  const bytes = readFileSync(path)
  if (bytes.length === 0) return
  for (let i = 0; i < count; i++) {
    const at = below(bytes.length)
    bytes[at] = (bytes[at] as number) ^ (1 + below(255))
  }
  writeFileSync(path, bytes)
}

/** Damages of a disk to the bytes of a file. */
export const BYTE_DAMAGE: Readonly<Record<string, FileDamage>> = {
  cut: (path, _, below) => truncateSync(path, below(statSync(path).size + 1)),
  'cut to nothing': (path) => truncateSync(path, 0),
  zeroed: (path) => writeFileSync(path, Buffer.alloc(statSync(path).size)),
  'a page zeroed': (path, _, below) => {
    const bytes = readFileSync(path)
    const start = below(bytes.length + 1) & ~4095
    writeFileSync(path, bytes.fill(0, start, Math.min(bytes.length, start + 4096)))
  },
  'eight bytes flipped': (path, _, below) => flip(path, 8, below),
  'a byte flipped': (path, _, below) => flip(path, 1, below),
  'many bytes flipped': (path, _, below) =>
    flip(path, 20 + Math.ceil(statSync(path).size / 50), below),
}

/** Damages of a disk, and changes by people and programs. */
export const FILE_DAMAGE: Readonly<Record<string, FileDamage>> = {
  ...BYTE_DAMAGE,
  deleted: (path) => rmSync(path),
  'a directory in its place': (path) => {
    rmSync(path)
    mkdirSync(path)
  },
  'an older copy': (path, old) => {
    if (old !== undefined && existsSync(old)) cpSync(old, path)
  },
}
