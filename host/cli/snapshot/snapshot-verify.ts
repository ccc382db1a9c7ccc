import type { Command } from 'commander'
import { chooseHome, homeOption } from '../option/home-option.ts'
import { namedSnapshot, SNAPSHOT_ARGUMENT } from './snapshot-argument.ts'
import { describeSnapshot } from './snapshot-text.ts'

export function defineSnapshotVerify(command: Command): void {
  command
    .argument(...SNAPSHOT_ARGUMENT)
    .addOption(homeOption())
    .action(async (text: string, flags: { readonly home?: string }) => {
      const home = chooseHome(flags.home)
      const { dir } = namedSnapshot(text, home)
      // Loaded here: help needs neither the stores nor the engine.
      const { verifyDir } = await import('../../node/offline/home-snapshots.ts')
      const metadata = await verifyDir(home, dir, (read, of) => {
        if (process.stderr.isTTY) process.stderr.write(`\r\x1b[KRead chunk ${read} of ${of}`)
      })
      if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
      process.stdout.write(`Valid: ${describeSnapshot(metadata)}\n`)
    })
}
