import { randomBytes } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { LockstepError, messageOf } from '../../base/error.ts'

/** A larger file is not a secret, but was named by mistake. */
const MAX_BYTES = 10_000

/** Returns the trimmed content of a file. @throws INVALID_ARGUMENT with a message that shows none of it */
export function readSecret(path: string, flag: string): string {
  let text: string
  try {
    const { size, mode } = statSync(path)
    if (size > MAX_BYTES) throw new Error(`has ${size} bytes, which is too long for a secret`)
    if ((mode & 0o077) !== 0 && process.platform !== 'win32') {
      const shown = (mode & 0o777).toString(8)
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `${flag}: ${path} is open to others (mode ${shown})`,
        {
          hint: `chmod 600 ${path}`,
        },
      )
    }
    text = readFileSync(path, 'utf8').trim()
  } catch (cause) {
    if (cause instanceof LockstepError) throw cause
    throw new LockstepError('INVALID_ARGUMENT', `${flag}: ${messageOf(cause)}`, { cause })
  }
  if (text !== '') return text
  throw new LockstepError('INVALID_ARGUMENT', `${flag}: ${path} is empty`)
}

/** Returns the token in a file, creating it with a new token if it is missing. @throws INVALID_ARGUMENT */
export function readOrMakeToken(path: string, flag: string): string {
  try {
    const token = randomBytes(32).toString('base64url')
    writeFileSync(path, `${token}\n`, { mode: 0o600, flag: 'wx' })
    return token
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return readSecret(path, flag)
    throw new LockstepError('INVALID_ARGUMENT', `${flag}: ${messageOf(cause)}`, { cause })
  }
}
