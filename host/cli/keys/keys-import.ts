import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { LockstepError, messageOf } from '../../base/error.ts'
import { parseSecret } from '../../evm/chain-types/account-key.ts'
import { decryptKey } from '../../wallet/keys/keystore.ts'
import { readInput } from '../option/hidden-prompt.ts'
import { homeOption } from '../option/home-option.ts'
import { existingPassphrase, newPassphrase, passwordFileOption } from '../option/passphrase.ts'
import { keyringOf, lightKdfOption, printKept, scryptCostOf } from './keyring-of.ts'

interface ImportFlags {
  readonly home?: string
  readonly passwordFile?: string
  readonly lightKdf?: true
  readonly json?: true
}

async function read(file: string): Promise<string> {
  if (file === '-') return await readInput()
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new LockstepError('INVALID_ARGUMENT', `cannot read the key: ${messageOf(cause)}`, {
      cause,
    })
  }
}

export function defineKeysImport(command: Command): void {
  command
    .argument('<name>', 'name of the key in this keystore')
    .argument(
      '<file>',
      'keystore file, whose passphrase stays, or file of 64 hex digits; - is the input',
    )
    .addOption(passwordFileOption())
    .addOption(lightKdfOption())
    .addOption(homeOption())
    .option('--json', 'print JSON')
    .action(async (name: string, file: string, flags: ImportFlags) => {
      const keyring = keyringOf(flags.home)
      await keyring.requireFree(name)
      const text = await read(file)
      const isKeystore = text.trimStart().startsWith('{')
      const bare = isKeystore ? undefined : parseSecret(text)
      const passphrase = isKeystore
        ? await existingPassphrase(flags.passwordFile, file)
        : await newPassphrase(flags.passwordFile, name)
      const key = bare ?? decryptKey(text, passphrase)
      printKept(await keyring.add(name, key, passphrase, scryptCostOf(flags.lightKdf)), flags.json)
    })
}
