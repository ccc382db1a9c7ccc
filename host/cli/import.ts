import { existsSync, statSync } from 'node:fs'
import type { Command } from 'commander'
import { loadConfig } from '../base/config/load.ts'
import type { Config } from '../base/config/schema.ts'
import { createLogger } from '../base/log/pino-logger.ts'
import type { Home } from '../node/home/home.ts'
import { lockHome } from '../node/home/home-lock.ts'
import { ARCHIVE_CONFIG } from '../node/home/new-home-config.ts'
import type { ChainImportProgress } from '../node/offline/import-chain.ts'
import { chooseHome, homeOption } from './option/home-option.ts'
import { withProgress } from './progress/progress.ts'

interface ImportFlags {
  readonly genesis?: string
  readonly home?: string
}

const RESUME = 'run the same command again: it continues after the imported blocks'

/** Returns the size of a file in bytes, if known. */
function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size
}

function describe({ imported, known, height }: ChainImportProgress): string {
  const skipped = known === 0 ? '' : `, ${known} were already imported`
  return `Imported ${imported} blocks${skipped}; the chain ends at block ${height}`
}

/** Returns the configuration of a home; for a new home, the one that the import will write. */
function importConfig(home: Home): Config {
  const isNew = !existsSync(home.config.app)
  const values = Object.entries(isNew ? ARCHIVE_CONFIG : {})
  return loadConfig({
    directory: home.config.directory,
    environment: process.env,
    flags: new Map(values.map(([flag, value]) => [flag, String(value)])),
  }).config
}

export function defineImport(command: Command): void {
  command
    .argument('<file>', 'blocks in RLP, as `geth export` writes them')
    .option('--genesis <FILE>', "geth's genesis.json of the chain; required the first time")
    .addOption(homeOption())
    .action(async (file: string, flags: ImportFlags) => {
      const home = chooseHome(flags.home)
      const config = importConfig(home)
      const write = (line: string): void => void process.stderr.write(line)
      const logger = createLogger({ level: 'warn', format: config.logFormat, write })
      const lock = lockHome(home)
      try {
        const last: ChainImportProgress = { imported: 0, known: 0, height: -1, bytes: 0 }
        try {
          await withProgress(
            { label: 'Importing blocks', unit: 'bytes', total: sizeOf(file), resume: RESUME },
            async (progress) => {
              // Loaded here: help and argument errors need neither the stores nor the engine.
              const { importChain } = await import('../node/offline/import-chain.ts')
              progress.update(0)
              const onProgress = (now: ChainImportProgress) => {
                Object.assign(last, now)
                return progress.update(now.bytes)
              }
              const { genesis } = flags
              return importChain({ home, config, logger, file, genesis, onProgress })
            },
          )
        } finally {
          if (last.height >= 0) write(`${describe(last)}\n`)
        }
      } finally {
        lock.release()
      }
    })
}
