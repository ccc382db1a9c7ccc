import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Readable and writable by the owner alone. */
const PRIVATE_MODE = 0o600

/**
 * Replaces a file so that after a crash or power loss it holds the old content or the new, whole: the
 * new one is synced beside it, renamed over it, and the directory synced.
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
