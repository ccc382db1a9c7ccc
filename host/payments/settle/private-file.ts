import { open } from 'node:fs/promises'
import { LockstepError } from '../../base/error.ts'

/** Permission bits of group and others. */
const OTHERS = 0o077

/** Maximum characters; the largest keystore fits. */
const MAX_LENGTH = 65_536

/** A file of secrets, as messages describe it. */
export interface PrivateFile {
  readonly path: string
  /** Such as `the settler's key`. */
  readonly what: string
  /** What to write if the file is missing. */
  readonly hint: string
}

/** Returns an error about a file of secrets. */
export function invalidFile({ path, what }: PrivateFile, problem: string, hint: string) {
  return new LockstepError('CONFIG_INVALID', `${what} ${path} ${problem}`, { hint })
}

/**
 * Returns the text of a file of secrets.
 * @throws CONFIG_INVALID if the file is missing, too long, or accessible to users other than its owner
 */
export async function readPrivate(file: PrivateFile): Promise<string> {
  const { path } = file
  let handle: Awaited<ReturnType<typeof open>>
  try {
    handle = await open(path, 'r')
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    throw invalidFile(file, `cannot be read: ${code}`, file.hint)
  }
  try {
    const { mode, size } = await handle.stat()
    // Windows has no such permissions and reports a synthetic mode.
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
      const shown = (mode & 0o777).toString(8).padStart(4, '0')
      throw invalidFile(file, `has mode ${shown}: others may read it`, `run \`chmod 600 ${path}\``)
    }
    if (size > MAX_LENGTH) {
      throw invalidFile(file, `has ${size} bytes`, `at most ${MAX_LENGTH} are read`)
    }
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}
