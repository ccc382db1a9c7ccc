import { type AccountKey, parseSecret } from '../../evm/chain-types/account-key.ts'
import { decryptKey } from '../../wallet/keys/keystore.ts'
import { invalidFile, readPrivate } from './private-file.ts'

/**
 * Reads a settler's key from a file: 64 hex digits with or without 0x, or a keystore with a passphrase.
 * @throws CONFIG_INVALID, KEYSTORE_INVALID, PASSPHRASE_WRONG; no message contains a digit of the key
 */
export async function readSettlerKey(path: string, passphrase?: string): Promise<AccountKey> {
  const hint =
    'write a private key of 64 hex digits there, or a keystore created by `lockstep keys`'
  const file = { path, what: "the settler's key", hint }
  const text = await readPrivate(file)
  if (text.trimStart().startsWith('{')) {
    if (passphrase !== undefined) return decryptKey(text, passphrase)
    throw invalidFile(file, 'is a keystore', 'set LOCKSTEP_KEYS_PASSWORD to its passphrase')
  }
  try {
    return parseSecret(text)
  } catch {
    throw invalidFile(file, 'holds no private key', 'write only 64 hex digits, with or without 0x')
  }
}
