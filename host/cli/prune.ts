import type { Command } from 'commander'
import { LockstepError } from '../base/error.ts'
import { createLogger } from '../base/log/pino-logger.ts'
import { lockHome } from '../node/home/home-lock.ts'
import { bytesAt } from '../node/offline/bytes-at.ts'
import { chooseHome, configOf, homeOption, requireHome } from './option/home-option.ts'
import { formatSize } from './progress/amount-text.ts'
import { withProgress } from './progress/progress.ts'

const RESUME = 'run it again: it continues'

interface PruneFlags {
  readonly home?: string
  readonly keepRecent?: string
  readonly retainBlocks?: string
}

function parseHeights(flag: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new LockstepError('INVALID_ARGUMENT', `${flag} is ${text}, not a number of heights`)
}

export function definePrune(command: Command): void {
  command
    .addOption(homeOption())
    .option('--keep-recent <BLOCKS>', 'recent heights whose state stays (default: ss-keep-recent)')
    .option('--retain-blocks <BLOCKS>', 'recent blocks that stay (default: min-retain-blocks)')
    .action(async (flags: PruneFlags) => {
      const home = chooseHome(flags.home)
      requireHome(home)
      const config = configOf(home)
      const states = parseHeights('--keep-recent', flags.keepRecent, config.stateStore.ssKeepRecent)
      const blocks = parseHeights('--retain-blocks', flags.retainBlocks, config.minRetainBlocks)
      if (states === 0 && blocks === 0) {
        throw new LockstepError('INVALID_ARGUMENT', 'this home keeps all states and blocks', {
          hint: 'pass --keep-recent, --retain-blocks or both',
        })
      }
      const write = (line: string): void => void process.stderr.write(line)
      const logger = createLogger({ level: 'warn', format: config.logFormat, write })
      const lock = lockHome(home)
      try {
        const sizeBefore = bytesAt(home.data.directory)
        const pruned = await withProgress(
          { label: 'Pruning', unit: 'blocks', resume: RESUME },
          async (progress) => {
            // Loaded here: help and argument errors need neither the stores nor the engine.
            const { pruneHome } = await import('../node/offline/prune-home.ts')
            const context = { home, config, logger }
            return pruneHome(context, { states, blocks }, () => progress.update(0))
          },
        )
        const { before, after, latest } = pruned
        process.stdout.write(
          `states: from height ${before.state}, now from ${after.state} to ${latest}\n` +
            `blocks: from height ${before.block}, now from ${after.block} to ${latest}\n` +
            `data:   ${formatSize(sizeBefore)}, now ${formatSize(bytesAt(home.data.directory))}\n`,
        )
        write('`lockstep compact` returns the free pages of the databases to the disk\n')
      } finally {
        lock.release()
      }
    })
}
