import { createHash } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import { lookup } from '../../base/lookup.ts'
import { writeFileAtomic } from '../../chain/consensus/validator/atomic-file.ts'

/** A file of a home, and the name of its copy. */
export interface SavedFile {
  readonly path: string
  readonly name: string
}

/** SHA-256 of each copy by name, 64 hex digits. */
export type SavedHashes = Readonly<Record<string, string>>

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function damaged(path: string): LockstepError {
  return new LockstepError('STORE_CORRUPTED', `the copy ${path} differs from the saved file`, {
    hint: 'the disk may be failing: check it, then run the command again; nothing has been deleted',
  })
}

/**
 * Copies files into a folder, syncs them, and compares them with the originals.
 * @throws STORE_CORRUPTED if a copy differs
 */
export async function saveFiles(files: readonly SavedFile[], folder: string): Promise<SavedHashes> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const hashes: Record<string, string> = {}
  for (const { path, name } of files) {
    if (!existsSync(path)) continue
    const bytes = await readFile(path)
    const copy = join(folder, name)
    await writeFileAtomic(copy, bytes)
    hashes[name] = hashOf(bytes)
    if (hashOf(await readFile(copy)) !== lookup(hashes, name)) throw damaged(copy)
  }
  return hashes
}

/** @throws STORE_CORRUPTED if a copy is missing or has changed */
export async function verifySaved(folder: string, hashes: SavedHashes): Promise<void> {
  for (const [name, hash] of Object.entries(hashes)) {
    const copy = join(folder, name)
    if (!existsSync(copy) || hashOf(await readFile(copy)) !== hash) throw damaged(copy)
  }
}

/** Restores the copies to their original paths, and compares them there. */
export async function restoreFiles(
  files: readonly SavedFile[],
  folder: string,
  hashes: SavedHashes,
): Promise<void> {
  for (const { path, name } of files) {
    const hash = lookup(hashes, name)
    if (hash === undefined) continue
    const bytes = await readFile(join(folder, name))
    if (hashOf(bytes) !== hash) throw damaged(join(folder, name))
    await writeFileAtomic(path, bytes)
    if (hashOf(await readFile(path)) !== hash) throw damaged(path)
  }
}
