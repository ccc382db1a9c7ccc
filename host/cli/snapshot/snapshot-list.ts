import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { LockstepError } from '../../base/error.ts'
import { loadConfig } from '../../config/load.ts'
import { snapshotFolder } from '../../node/home/home.ts'
import { listSnapshots } from '../../snapshot/snapshot-dir.ts'
import { chooseHome, homeOption } from '../option/home-option.ts'
import { describeSnapshot } from './snapshot-text.ts'

export function defineSnapshotList(command: Command): void {
  command.addOption(homeOption()).action((flags: { readonly home?: string }) => {
    const home = chooseHome(flags.home)
    const { directory } = home.config
    if (!existsSync(directory)) {
      throw new LockstepError('HOME_MISSING', `${home.root} is not the home of a node`)
    }
    const { config } = loadConfig({ directory, environment: process.env, flags: new Map() })
    const folder = snapshotFolder(home, config)
    const snapshots = listSnapshots(folder)
    for (const { dir, metadata } of snapshots) {
      process.stdout.write(`${dir}: ${describeSnapshot(metadata)}\n`)
    }
    // To stderr: a program that counts lines finds none.
    if (snapshots.length === 0) {
      process.stderr.write(`No snapshots in ${folder}: \`lockstep snapshot export\` writes one\n`)
    }
  })
}
