import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkFreeSpace } from '../../storage/store/lmdb/lmdb-env.ts'
import { storeError } from '../../storage/table/store-error.ts'
import { chunkName } from './chunk-file.ts'
import type { ChunkMetadata } from './metadata.ts'

/** Disk space reserved for everything else. */
const DISK_RESERVE = 128 * 1024 * 1024

/** Returns true if untrusted bytes are the chunk that the metadata lists. */
export function isChunk(bytes: Uint8Array, { size, sha256 }: ChunkMetadata): boolean {
  return bytes.length === size && createHash('sha256').update(bytes).digest('hex') === sha256
}

/** Resolves to true if `dir` has the complete chunk. */
export async function holdsChunk(
  dir: string,
  index: number,
  chunk: ChunkMetadata,
): Promise<boolean> {
  const path = join(dir, chunkName(index))
  if (!existsSync(path) || statSync(path).size !== chunk.size) return false
  return isChunk(await readFile(path), chunk)
}

/**
 * Writes and syncs a received chunk.
 * @throws STORE_FULL, STORE_CORRUPTED
 */
export async function storeChunk(dir: string, index: number, bytes: Uint8Array): Promise<void> {
  checkFreeSpace(dir, DISK_RESERVE + bytes.length)
  const path = join(dir, chunkName(index))
  try {
    const file = await open(path, 'w', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (thrown) {
    throw storeError(path, thrown)
  }
}
