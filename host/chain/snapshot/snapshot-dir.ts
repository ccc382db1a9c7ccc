import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../base/error.ts'
import { writeFileAtomic } from '../consensus/validator/atomic-file.ts'
import { decodeMetadata, encodeMetadata, type SnapshotMetadata } from './metadata.ts'
import { invalid } from './snapshot-format.ts'

export const METADATA = 'metadata.json'
/** The name of a snapshot until it is complete. */
const PARTIAL = '.partial'
const HEIGHT = /^[1-9]\d*$/

/** A snapshot of the folder `data/snapshots`. */
export interface ListedSnapshot {
  readonly dir: string
  readonly metadata: SnapshotMetadata
}

/** The metadata of the snapshot in `dir`. @throws SNAPSHOT_INVALID */
export function readMetadata(dir: string): SnapshotMetadata {
  const path = join(dir, METADATA)
  if (!existsSync(path)) throw invalid(`${dir} has no ${METADATA}: it is not a complete snapshot`)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw invalid(`${path} cannot be read: ${messageOf(cause)}`, { cause })
  }
  return decodeMetadata(text, path)
}

/** The place of the snapshot of a height in a folder. */
export function snapshotDir(folder: string, height: number): string {
  return join(folder, String(height))
}

/** The snapshot of a height, where a folder has it. */
export function findSnapshot(folder: string, height: number): ListedSnapshot | undefined {
  const dir = snapshotDir(folder, height)
  return existsSync(dir) ? { dir, metadata: readMetadata(dir) } : undefined
}

/** The heights whose snapshots a folder has complete, the newest first. */
export function completeHeights(folder: string): number[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => HEIGHT.test(name))
    .map(Number)
    .sort((a, b) => b - a)
}

/** The complete snapshots of a folder, the newest first. */
export function listSnapshots(folder: string): ListedSnapshot[] {
  return completeHeights(folder).map((height) => {
    const dir = snapshotDir(folder, height)
    return { dir, metadata: readMetadata(dir) }
  })
}

/** Removes what exports that were cut short have left in a folder. */
export function removePartial(folder: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    if (name.endsWith(PARTIAL)) rmSync(join(folder, name), { recursive: true })
  }
}

/** Removes all but the newest `keep` snapshots of a folder. */
export function removeOld(folder: string, keep: number): void {
  for (const { dir } of listSnapshots(folder).slice(keep)) remove(dir)
}

/** Removes the snapshots above `height`. */
export function removeAbove(folder: string, height: number): void {
  for (const { dir, metadata } of listSnapshots(folder)) if (metadata.height > height) remove(dir)
}

function remove(dir: string): void {
  // By another name it is no snapshot any more, however far its removal comes.
  const doomed = `${dir}${PARTIAL}`
  renameSync(dir, doomed)
  rmSync(doomed, { recursive: true })
}

/** A new folder for the chunks of a snapshot, which `completeSnapshot` gives its name. */
export function beginSnapshot(folder: string, height: number): string {
  const dir = join(folder, `${height}${PARTIAL}`)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  return dir
}

/** Writes the metadata and then gives the folder its name: only what is complete is ever called a snapshot. */
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
