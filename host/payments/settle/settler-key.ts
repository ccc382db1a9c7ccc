import { type AccountKey, parseSecret } from '../../evm/chain-types/account-key.ts'
import { decryptKey } from '../../wallet/keys/keystore.ts'
import { invalidFile, readPrivate } from './private-file.ts'

/**
 * The key of a settler from its file: 64 hex digits with 0x or without, or a keystore under a passphrase.
 * @throws CONFIG_INVALID, KEYSTORE_INVALID, PASSPHRASE_WRONG; no text holds a digit of the key
 */
export async function readSettlerKey(path: string, passphrase?: string): Promise<AccountKey> {
  const hint = 'write a private key of 64 hex digits there, or a keystore as `lockstep keys` makes'
  const file = { path, what: "the settler's key", hint }
  const text = await readPrivate(file)
  if (text.trimStart().startsWith('{')) {
    if (passphrase !== undefined) return decryptKey(text, passphrase)
    throw invalidFile(file, 'is a keystore', 'set LOCKSTEP_KEYS_PASSWORD to its passphrase')
  }
  try {
    return parseSecret(text)
  } catch {
    throw invalidFile(
      file,
      'holds no private key',
      'write 64 hex digits, with 0x or without, alone',
    )
  }
}
