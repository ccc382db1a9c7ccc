import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { LockstepError, messageOf } from '../../base/error.ts'
import { formatData } from '../../base/hex.ts'
import { type KeyEntry, type Keyring, writeNew } from '../../wallet/keys/keyring.ts'
import { homeOption } from '../option/home-option.ts'
import { existingPassphrase, passwordFileOption } from '../option/passphrase.ts'
import { keyringOf } from './keyring-of.ts'

interface ExportFlags {
  readonly home?: string
  readonly privateKey?: true
  readonly passwordFile?: string
  readonly out?: string
}

async function textOf(keyring: Keyring, key: KeyEntry, flags: ExportFlags): Promise<string> {
  if (flags.privateKey === undefined) return await readFile(key.path, 'utf8')
  const passphrase = await existingPassphrase(flags.passwordFile, key.name)
  return `${formatData((await keyring.unlock(key, passphrase)).secret)}\n`
}

async function write(path: string, text: string): Promise<void> {
  try {
    await writeNew(path, text)
  } catch (cause) {
    throw new LockstepError('INVALID_ARGUMENT', `--out: ${messageOf(cause)}`, {
      hint: 'name a new file in an existing folder',
      cause,
    })
  }
}

export function defineKeysExport(command: Command): void {
  command
    .argument('<name>', 'name or address of the key')
    .option('--private-key', 'print the private key in hex, which needs the passphrase')
    .option('--out <FILE>', 'new file for the key, readable only by its owner')
    .addOption(passwordFileOption())
    .addOption(homeOption())
    .action(async (name: string, flags: ExportFlags) => {
      const keyring = keyringOf(flags.home)
      const text = await textOf(keyring, await keyring.find(name), flags)
      if (flags.out === undefined) process.stdout.write(text)
      else await write(flags.out, text)
    })
}
