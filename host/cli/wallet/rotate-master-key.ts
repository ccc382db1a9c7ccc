import { resolve } from 'node:path'
import type { Command } from 'commander'
import { LockstepError } from '../../base/error.ts'
import { lockHome } from '../../node/home/home-lock.ts'
import { type NewSource, rotateWallets } from '../../node/offline/rotate-wallets.ts'
import { chooseHome, configOf, homeOption, requireHome } from '../option/home-option.ts'

interface RotateFlags {
  readonly home?: string
  readonly newKeyFile?: string
  readonly newPassphraseFile?: string
  readonly newCommand?: string
}

interface Chosen {
  readonly source: NewSource
  /** The lines to write into app.toml. */
  readonly settings: readonly string[]
}

function setting(name: string, value: string): string {
  return `${name} = ${JSON.stringify(value)}`
}

function choose({ newKeyFile, newPassphraseFile, newCommand }: RotateFlags): Chosen {
  const given = [newKeyFile, newPassphraseFile, newCommand].filter((flag) => flag !== undefined)
  if (given.length > 1) {
    throw new LockstepError('INVALID_ARGUMENT', 'the new key has more than one source', {
      hint: 'give one of --new-key-file, --new-passphrase-file and --new-command, or none',
    })
  }
  if (newKeyFile !== undefined) {
    const path = resolve(newKeyFile)
    const settings = [setting('master-key', 'file'), setting('master-key-file', path)]
    return { source: { kind: 'file', path }, settings }
  }
  if (newPassphraseFile !== undefined) {
    const path = resolve(newPassphraseFile)
    const settings = [setting('master-key', 'passphrase'), setting('passphrase-file', path)]
    return { source: { kind: 'passphrase', path }, settings }
  }
  if (newCommand !== undefined) {
    const settings = [setting('master-key', 'command'), setting('master-key-command', newCommand)]
    return { source: { kind: 'command', command: newCommand }, settings }
  }
  return { source: { kind: 'same' }, settings: [] }
}

export function defineRotateMasterKey(command: Command): void {
  command
    .addOption(homeOption())
    .option('--new-key-file <FILE>', 'take the new key from a file, created if missing')
    .option('--new-passphrase-file <FILE>', 'derive the new key from the first line of a file')
    .option('--new-command <COMMAND>', 'take the new key from the output of a command')
    .action((flags: RotateFlags) => {
      const home = chooseHome(flags.home)
      requireHome(home)
      const { source, settings } = choose(flags)
      const lock = lockHome(home)
      try {
        const { number, wallets } = rotateWallets(home, configOf(home), source, Date.now())
        const lines = [`Master key ${number} wraps the keys of ${wallets} wallets.`]
        if (settings.length > 0) {
          lines.push(
            `The node needs it at its next start. Write into [wallets] of ${home.config.app}:`,
          )
        }
        process.stdout.write(`${[...lines, ...settings].join('\n')}\n`)
      } finally {
        lock.release()
      }
    })
}
