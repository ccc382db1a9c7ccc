import type { Command } from 'commander'
import { listSnapshots } from '../snapshot/snapshot-dir.ts'
import { chooseHome, homeOption } from './home-option.ts'
import { describeSnapshot } from './snapshot-text.ts'

export function defineSnapshotList(command: Command): void {
  command.addOption(homeOption()).action((flags: { readonly home?: string }) => {
    for (const { dir, metadata } of listSnapshots(chooseHome(flags.home).data.snapshots)) {
      process.stdout.write(`${dir}: ${describeSnapshot(metadata)}\n`)
    }
  })
}
