import type { Command } from 'commander'
import { chooseHome, configOf, homeOption } from '../option/home-option.ts'
import { withProgress } from '../progress/progress.ts'
import { namedSnapshot, SNAPSHOT_ARGUMENT } from './snapshot-argument.ts'
import { describeSnapshot, snapshotJson } from './snapshot-text.ts'

const RESUME = 'run it again: a check changes nothing'

export function defineSnapshotVerify(command: Command): void {
  command
    .argument(...SNAPSHOT_ARGUMENT)
    .option('--json', 'print an object')
    .addOption(homeOption())
    .action(async (text: string, flags: { readonly home?: string; readonly json?: true }) => {
      const home = chooseHome(flags.home)
      const { dir } = namedSnapshot(text, home)
      const metadata = await withProgress(
        { label: 'Verifying', unit: 'chunks', quiet: flags.json, resume: RESUME },
        async (progress) => {
          // Loaded here: help needs neither the stores nor the engine.
          const { verifyDir } = await import('../../node/offline/home-snapshots.ts')
          progress.update(0)
          return verifyDir(
            { home, config: configOf(home) },
            dir,
            (read, of) => void progress.update(read, of),
          )
        },
      )
      process.stdout.write(
        flags.json === true
          ? `${JSON.stringify(snapshotJson(dir, metadata))}\n`
          : `Valid: ${describeSnapshot(metadata)}\n`,
      )
    })
}
