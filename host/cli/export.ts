import { resolve } from 'node:path'
import type { Command } from 'commander'
import { LockstepError } from '../base/error.ts'
import { createLogger } from '../base/log/pino-logger.ts'
import { lockHome } from '../node/home/home-lock.ts'
import { chooseHome, configOf, homeOption, requireHome } from './option/home-option.ts'
import { withProgress } from './progress/progress.ts'

interface ExportFlags {
  readonly from: string
  readonly to: string
  readonly home?: string
}

const RESUME = 'run it again: the partial file was removed'

function parseBlock(flag: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new LockstepError('INVALID_ARGUMENT', `${flag} is ${text}, not the number of a block`)
}

export function defineExport(command: Command): void {
  command
    .argument(
      '<file>',
      'new file for the blocks, in RLP as `geth import` and `lockstep import` read',
    )
    .option('--from <BLOCK>', 'first block', '0')
    .option('--to <BLOCK>', 'last block', 'latest')
    .addOption(homeOption())
    .action(async (file: string, flags: ExportFlags) => {
      const from = parseBlock('--from', flags.from)
      const to = flags.to === 'latest' ? undefined : parseBlock('--to', flags.to)
      const home = chooseHome(flags.home)
      requireHome(home)
      const config = configOf(home)
      const write = (line: string): void => void process.stderr.write(line)
      const logger = createLogger({ level: 'warn', format: config.logFormat, write })
      const path = resolve(file)
      const lock = lockHome(home)
      try {
        const range = await withProgress(
          { label: 'Exporting', unit: 'blocks', resume: RESUME },
          async (progress) => {
            // Loaded here: help and argument errors need neither the stores nor the engine.
            const { exportChain } = await import('../node/offline/export-chain.ts')
            progress.update(0)
            const onBlock = (done: number, of: number) => progress.update(done, of)
            return exportChain({ home, config, logger, file: path, from, to, onBlock })
          },
        )
        write(`Exported blocks ${range.from} to ${range.to}\n`)
        process.stdout.write(`${path}\n`)
      } finally {
        lock.release()
      }
    })
}
