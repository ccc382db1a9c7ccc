import { resolve } from 'node:path'
import type { Command } from 'commander'
import { chooseHome, homeOption } from './home-option.ts'
import { describeSnapshot } from './snapshot-text.ts'

export function defineSnapshotVerify(command: Command): void {
  command
    .argument('<dir>', 'folder of the snapshot, with its metadata.json')
    .addOption(homeOption())
    .action(async (dir: string, flags: { readonly home?: string }) => {
      // Loaded here: help needs neither the stores nor the engine.
      const { verifyDir } = await import('../node/home-snapshots.ts')
      const metadata = await verifyDir(chooseHome(flags.home), resolve(dir), (read, of) => {
        if (process.stderr.isTTY) process.stderr.write(`\r\x1b[KRead chunk ${read} of ${of}`)
      })
      if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
      process.stdout.write(`Valid: ${describeSnapshot(metadata)}\n`)
    })
}
