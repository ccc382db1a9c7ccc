import type { Command } from 'commander'
import { checksumText } from '../../evm/chain-types/account-key.ts'
import { homeOption } from '../option/home-option.ts'
import { keyJson, keyringOf } from './keyring-of.ts'

interface ShowFlags {
  readonly home?: string
  readonly address?: true
  readonly json?: true
}

export function defineKeysShow(command: Command): void {
  command
    .argument('<name>', 'name or address of the key')
    .option('-a, --address', 'print only the address')
    .addOption(homeOption())
    .option('--json', 'print JSON')
    .action(async (name: string, flags: ShowFlags) => {
      const key = await keyringOf(flags.home).find(name)
      const address = checksumText(key.address)
      const text =
        flags.address !== undefined
          ? address
          : flags.json !== undefined
            ? JSON.stringify(keyJson(key))
            : `Name     ${key.name}\nAddress  ${address}\nFile     ${key.path}`
      process.stdout.write(`${text}\n`)
    })
}
