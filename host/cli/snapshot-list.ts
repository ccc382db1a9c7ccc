import type { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import { snapshotFolder } from '../node/snapshot-folder.ts'
import { listSnapshots } from '../snapshot/snapshot-dir.ts'
import { chooseHome, homeOption } from './home-option.ts'
import { describeSnapshot } from './snapshot-text.ts'

export function defineSnapshotList(command: Command): void {
  command.addOption(homeOption()).action((flags: { readonly home?: string }) => {
    const home = chooseHome(flags.home)
    const { directory } = home.config
    const { config } = loadConfig({ directory, environment: process.env, flags: new Map() })
    for (const { dir, metadata } of listSnapshots(snapshotFolder(home, config))) {
      process.stdout.write(`${dir}: ${describeSnapshot(metadata)}\n`)
    }
  })
}
