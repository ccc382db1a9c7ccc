import type { Command } from 'commander'
import { createLogger } from '../base/log/pino-logger.ts'
import { lockHome } from '../node/home/home-lock.ts'
import { bytesAt } from '../node/offline/bytes-at.ts'
import { chooseHome, configOf, homeOption, requireHome } from './option/home-option.ts'
import { formatSize } from './progress/amount-text.ts'
import { withProgress } from './progress/progress.ts'

const RESUME = 'run it again: what is not rewritten yet is unchanged'

export function defineCompact(command: Command): void {
  command.addOption(homeOption()).action(async (flags: { readonly home?: string }) => {
    const home = chooseHome(flags.home)
    requireHome(home)
    const config = configOf(home)
    const write = (line: string): void => void process.stderr.write(line)
    const logger = createLogger({ level: 'warn', format: config.logFormat, write })
    const lock = lockHome(home)
    try {
      const total = bytesAt(home.data.directory)
      await withProgress(
        { label: 'Compacting', unit: 'bytes', total, resume: RESUME },
        async (progress) => {
          // Loaded here: help needs neither the stores nor the engine.
          const { compactHome } = await import('../node/offline/compact-home.ts')
          let done = 0
          progress.update(0)
          await compactHome({ home, config, logger }, ({ path, before, after }) => {
            progress.print(`${path}: ${formatSize(before)}, now ${formatSize(after)}`)
            done += before
            return progress.update(done, Math.max(done, total))
          })
        },
      )
      process.stdout.write(
        `data: ${formatSize(total)}, now ${formatSize(bytesAt(home.data.directory))}\n`,
      )
    } finally {
      lock.release()
    }
  })
}
