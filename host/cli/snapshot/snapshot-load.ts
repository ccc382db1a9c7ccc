import { resolve } from 'node:path'
import type { Command } from 'commander'
import { snapshotFolder } from '../../node/home/home.ts'
import { lockHome } from '../../node/home/home-lock.ts'
import { chooseHome, configOf, homeOption } from '../option/home-option.ts'
import { withProgress } from '../progress/progress.ts'
import { describeSnapshot } from './snapshot-text.ts'

const RESUME = 'run the same command again: it starts over'

export function defineSnapshotLoad(command: Command): void {
  command
    .argument('<file>', 'file that `lockstep snapshot dump` wrote')
    .addOption(homeOption())
    .action(async (file: string, flags: { readonly home?: string }) => {
      const home = chooseHome(flags.home)
      const lock = lockHome(home)
      try {
        const { dir, metadata } = await withProgress(
          { label: 'Loading', unit: 'chunks', resume: RESUME },
          async (progress) => {
            const { loadSnapshot } = await import('../../node/offline/snapshot-file.ts')
            const onChunk = (done: number, of: number) => progress.update(done, of)
            return loadSnapshot(resolve(file), snapshotFolder(home, configOf(home)), onChunk)
          },
        )
        process.stderr.write(`Loaded ${describeSnapshot(metadata)}\n`)
        process.stdout.write(`${dir}\n`)
      } finally {
        lock.release()
      }
    })
}
