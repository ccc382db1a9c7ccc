import { resolve } from 'node:path'
import type { Command } from 'commander'
import { chooseHome, homeOption } from '../option/home-option.ts'
import { withProgress } from '../progress/progress.ts'
import { namedSnapshot, SNAPSHOT_ARGUMENT } from './snapshot-argument.ts'
import { describeSnapshot } from './snapshot-text.ts'

const RESUME = 'run it again: the partial file was removed'

export function defineSnapshotDump(command: Command): void {
  command
    .argument(...SNAPSHOT_ARGUMENT)
    .option('--out <FILE>', 'file to write (default: lockstep-snapshot-<height>.tar)')
    .addOption(homeOption())
    .action(async (text: string, flags: { readonly home?: string; readonly out?: string }) => {
      const { dir } = namedSnapshot(text, chooseHome(flags.home))
      const { metadata, path } = await withProgress(
        { label: 'Dumping', unit: 'chunks', resume: RESUME },
        async (progress) => {
          const { readMetadata } = await import('../../chain/snapshot/snapshot-dir.ts')
          const { dumpSnapshot } = await import('../../node/offline/snapshot-file.ts')
          const path = resolve(flags.out ?? `lockstep-snapshot-${readMetadata(dir).height}.tar`)
          const onChunk = (done: number, of: number) => progress.update(done, of)
          return { metadata: await dumpSnapshot(dir, path, onChunk), path }
        },
      )
      process.stderr.write(`Dumped ${describeSnapshot(metadata)}\n`)
      process.stdout.write(`${path}\n`)
    })
}
