import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../base/error.ts'
import { writeFileAtomic } from '../consensus/validator/atomic-file.ts'
import { decodeMetadata, encodeMetadata, type SnapshotMetadata } from './metadata.ts'
import { invalidSnapshot } from './snapshot-format.ts'

export const METADATA = 'metadata.json'
/** Suffix of a folder whose snapshot is incomplete. */
const PARTIAL = '.partial'
const HEIGHT = /^[1-9]\d*$/

/** A snapshot in the folder `data/snapshots`. */
export interface ListedSnapshot {
  readonly dir: string
  readonly metadata: SnapshotMetadata
}

/**
 * Reads the metadata of the snapshot in `dir`.
 * @throws SNAPSHOT_INVALID
 */
export function readMetadata(dir: string): SnapshotMetadata {
  const path = join(dir, METADATA)
  if (!existsSync(path))
    throw invalidSnapshot(`${dir} has no ${METADATA}: it is not a complete snapshot`)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw invalidSnapshot(`${path} cannot be read: ${messageOf(cause)}`, { cause })
  }
  return decodeMetadata(text, path)
}

/** Returns the path of the snapshot of a height in a folder. */
export function snapshotDir(folder: string, height: number): string {
  return join(folder, String(height))
}

/** Returns the snapshot of a height, if the folder has it. */
export function findSnapshot(folder: string, height: number): ListedSnapshot | undefined {
  const dir = snapshotDir(folder, height)
  return existsSync(dir) ? { dir, metadata: readMetadata(dir) } : undefined
}

/** Returns the heights of complete snapshots in a folder, latest first. */
export function completeHeights(folder: string): number[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => HEIGHT.test(name))
    .map(Number)
    .sort((a, b) => b - a)
}

/** Returns the complete snapshots in a folder, latest first. */
export function listSnapshots(folder: string): ListedSnapshot[] {
  return completeHeights(folder).map((height) => {
    const dir = snapshotDir(folder, height)
    return { dir, metadata: readMetadata(dir) }
  })
}

/** Removes the remains of interrupted exports from a folder. */
export function removePartial(folder: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    if (name.endsWith(PARTIAL)) rmSync(join(folder, name), { recursive: true })
  }
}

/** Removes all but the latest `keep` snapshots from a folder. */
export function removeOld(folder: string, keep: number): void {
  for (const { dir } of listSnapshots(folder).slice(keep)) remove(dir)
}

/** Removes the snapshots above `height`. */
export function removeSnapshotsAbove(folder: string, height: number): void {
  for (const { dir, metadata } of listSnapshots(folder)) if (metadata.height > height) remove(dir)
}

function remove(dir: string): void {
  // Renamed first, so that an interrupted removal leaves no incomplete snapshot.
  const doomed = `${dir}${PARTIAL}`
  renameSync(dir, doomed)
  rmSync(doomed, { recursive: true })
}

/** Creates a folder for the chunks of a snapshot. `completeSnapshot` renames it. */
export function beginSnapshot(folder: string, height: number): string {
  const dir = join(folder, `${height}${PARTIAL}`)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  return dir
}

/** Writes the metadata and then renames the folder, so that only complete snapshots have that name. */
export async function completeSnapshot(
  folder: string,
  partial: string,
  metadata: SnapshotMetadata,
): Promise<string> {
  await writeFileAtomic(join(partial, METADATA), encodeMetadata(metadata))
  const dir = snapshotDir(folder, metadata.height)
  await rename(partial, dir)
  const parent = await open(folder, 'r')
  try {
    await parent.sync()
  } finally {
    await parent.close()
  }
  return dir
}
