import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { LockstepError } from '../../base/error.ts'
import { checksumText } from '../../evm/chain-types/account-key.ts'
import type { KeyEntry } from '../../wallet/keys/keyring.ts'
import { homeOption } from '../option/home-option.ts'
import { keyringOf } from './keyring-of.ts'

interface DeleteFlags {
  readonly home?: string
  readonly yes?: true
}

async function isConfirmed({ name, address }: KeyEntry): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `deleting ${name} is permanent, and there is no terminal to confirm it`,
      {
        hint: 'pass --yes',
      },
    )
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const question = `Delete ${name} (${checksumText(address)})? Without a backup its funds are lost. [y/N] `
  const answer = await terminal.question(question)
  terminal.close()
  return /^y(es)?$/i.test(answer.trim())
}

export function defineKeysDelete(command: Command): void {
  command
    .argument('<name>', 'name or address of the key')
    .option('-y, --yes', 'do not ask')
    .addOption(homeOption())
    .action(async (name: string, flags: DeleteFlags) => {
      const keyring = keyringOf(flags.home)
      const key = await keyring.find(name)
      if (flags.yes === undefined && !(await isConfirmed(key))) return
      await keyring.delete(key)
      process.stderr.write(`Removed ${key.name} ${checksumText(key.address)}\n`)
    })
}
