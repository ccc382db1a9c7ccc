import type { Command } from 'commander'
import { checksumText } from '../../evm/chain-types/account-key.ts'
import { homeOption } from '../option/home-option.ts'
import { keyJson, keyringOf } from './keyring-of.ts'

interface ListFlags {
  readonly home?: string
  readonly json?: true
}

export function defineKeysList(command: Command): void {
  command
    .addOption(homeOption())
    .option('--json', 'print JSON')
    .action(async (flags: ListFlags) => {
      const { keys, unreadable } = await keyringOf(flags.home).list()
      for (const { path, problem } of unreadable) {
        process.stderr.write(`Skipped ${path}: ${problem}\n`)
      }
      if (flags.json !== undefined) {
        process.stdout.write(`${JSON.stringify(keys.map(keyJson))}\n`)
        return
      }
      const width = Math.max(0, ...keys.map(({ name }) => name.length))
      for (const { name, address } of keys) {
        process.stdout.write(`${name.padEnd(width)}  ${checksumText(address)}\n`)
      }
      if (keys.length === 0)
        process.stderr.write('No keys: `lockstep keys add <name>` creates one\n')
    })
}
