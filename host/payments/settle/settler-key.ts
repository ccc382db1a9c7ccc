import { open } from 'node:fs/promises'
import { LockstepError } from '../../base/error.ts'
import { type AccountKey, parseSecret } from '../../chain-types/account-key.ts'
import { decryptKey } from '../../wallet/keys/keystore.ts'

/** Permissions of others than the owner. */
const OTHERS = 0o077

/** Characters of the largest keystore. */
const MAX_LENGTH = 65_536

function invalid(path: string, problem: string, hint: string): LockstepError {
  return new LockstepError('CONFIG_INVALID', `the settler's key ${path} ${problem}`, { hint })
}

/** @throws CONFIG_INVALID where the file is missing, too long, or others than its owner may use it */
async function readPrivate(path: string): Promise<string> {
  let file: Awaited<ReturnType<typeof open>>
  try {
    file = await open(path, 'r')
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    const hint =
      'write a private key of 64 hex digits there, or a keystore as `lockstep keys` makes'
    throw invalid(path, `cannot be read: ${code}`, hint)
  }
  try {
    const { mode, size } = await file.stat()
    // Windows has no such permissions: the mode it tells is made up.
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
      const shown = (mode & 0o777).toString(8).padStart(4, '0')
      throw invalid(path, `has mode ${shown}: others may read it`, `run \`chmod 600 ${path}\``)
    }
    if (size > MAX_LENGTH) throw invalid(path, `has ${size} bytes`, 'name the file of one key')
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

/**
 * The key of a settler from its file: 64 hex digits with 0x or without, or a keystore under a passphrase.
 * @throws CONFIG_INVALID, KEYSTORE_INVALID, PASSPHRASE_WRONG; no text holds a digit of the key
 */
export async function readSettlerKey(path: string, passphrase?: string): Promise<AccountKey> {
  const text = await readPrivate(path)
  if (text.trimStart().startsWith('{')) {
    if (passphrase !== undefined) return decryptKey(text, passphrase)
    throw invalid(path, 'is a keystore', 'set LOCKSTEP_KEYS_PASSWORD to its passphrase')
  }
  try {
    return parseSecret(text)
  } catch {
    throw invalid(path, 'holds no private key', 'write 64 hex digits, with 0x or without, alone')
  }
}
