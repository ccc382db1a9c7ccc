import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Readable and writable by the owner only. */
const PRIVATE_MODE = 0o600

/**
 * Replaces a file so that after a crash or power loss it holds either the complete old or the complete new content.
 * Writes and syncs a temporary file, renames it, and syncs the directory.
 */
export async function writeFileAtomic(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.tmp`
  const file = await open(temporary, 'w', PRIVATE_MODE)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  const directory = await open(dirname(path), 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
