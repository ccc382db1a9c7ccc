import type { Command } from 'commander'
import { chooseHome, homeOption } from '../option/home-option.ts'
import { withProgress } from '../progress/progress.ts'
import { namedSnapshot, SNAPSHOT_ARGUMENT } from './snapshot-argument.ts'
import { describeSnapshot } from './snapshot-text.ts'

const RESUME = 'run it again: a check changes nothing'

export function defineSnapshotVerify(command: Command): void {
  command
    .argument(...SNAPSHOT_ARGUMENT)
    .addOption(homeOption())
    .action(async (text: string, flags: { readonly home?: string }) => {
      const home = chooseHome(flags.home)
      const { dir } = namedSnapshot(text, home)
      const metadata = await withProgress(
        { label: 'Verifying', unit: 'chunks', resume: RESUME },
        async (progress) => {
          // Loaded here: help needs neither the stores nor the engine.
          const { verifyDir } = await import('../../node/offline/home-snapshots.ts')
          progress.update(0)
          return verifyDir(home, dir, (read, of) => void progress.update(read, of))
        },
      )
      process.stdout.write(`Valid: ${describeSnapshot(metadata)}\n`)
    })
}
