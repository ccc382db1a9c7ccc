import type { Command } from 'commander'
import { LockstepError } from '../../base/error.ts'
import { createLogger } from '../../base/log/pino-logger.ts'
import { lockHome } from '../../node/home/home-lock.ts'
import { chooseHome, configOf, homeOption } from '../option/home-option.ts'
import { withProgress } from '../progress/progress.ts'
import { describeSnapshot, snapshotJson } from './snapshot-text.ts'

const RESUME = 'run it again: the partial snapshot is then removed'

interface ExportFlags {
  readonly height: string
  readonly home?: string
  readonly json?: true
}

function parseHeight(text: string): number | undefined {
  if (text === 'latest') return undefined
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new LockstepError('INVALID_ARGUMENT', `--height is ${text}, not latest or a height`)
}

export function defineSnapshotExport(command: Command): void {
  command
    .option(
      '--height <HEIGHT>',
      'height to export: the latest, or one of a few hundred before it',
      'latest',
    )
    .option('--json', 'print an object')
    .addOption(homeOption())
    .action(async (flags: ExportFlags) => {
      const home = chooseHome(flags.home)
      const height = parseHeight(flags.height)
      const config = configOf(home)
      const write = (line: string): void => void process.stderr.write(line)
      const logger = createLogger({ level: 'warn', format: config.logFormat, write })
      const lock = lockHome(home)
      try {
        const { dir, metadata } = await withProgress(
          { label: 'Exporting', unit: 'chunks', quiet: flags.json, resume: RESUME },
          async (progress) => {
            // Loaded here: help and argument errors need neither the stores nor the engine.
            const { exportHome } = await import('../../node/offline/home-snapshots.ts')
            progress.update(0)
            const context = { home, config, logger }
            return exportHome(context, height, (written) => void progress.update(written))
          },
        )
        if (flags.json === true) {
          process.stdout.write(`${JSON.stringify(snapshotJson(dir, metadata))}\n`)
          return
        }
        write(`Exported ${describeSnapshot(metadata)}\n`)
        process.stdout.write(`${dir}\n`)
      } finally {
        lock.release()
      }
    })
}
