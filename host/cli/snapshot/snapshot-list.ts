import type { Command } from 'commander'
import { listSnapshots } from '../../chain/snapshot/snapshot-dir.ts'
import { snapshotFolder } from '../../node/home/home.ts'
import { chooseHome, configOf, homeOption, requireHome } from '../option/home-option.ts'
import { describeSnapshot, snapshotJson } from './snapshot-text.ts'

interface ListFlags {
  readonly home?: string
  readonly json?: true
}

export function defineSnapshotList(command: Command): void {
  command
    .option('--json', 'print an array of objects')
    .addOption(homeOption())
    .action((flags: ListFlags) => {
      const home = chooseHome(flags.home)
      requireHome(home)
      const config = configOf(home)
      const folder = snapshotFolder(home, config)
      const snapshots = listSnapshots(folder)
      if (flags.json === true) {
        const rows = snapshots.map(({ dir, metadata }) => snapshotJson(dir, metadata))
        process.stdout.write(`${JSON.stringify(rows)}\n`)
        return
      }
      for (const { dir, metadata } of snapshots) {
        process.stdout.write(`${dir}: ${describeSnapshot(metadata)}\n`)
      }
      // To stderr, so that a program that counts lines of stdout counts none.
      if (snapshots.length === 0) {
        process.stderr.write(`No snapshots in ${folder}: \`lockstep snapshot export\` writes one\n`)
      }
    })
}
