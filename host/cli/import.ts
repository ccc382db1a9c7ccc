import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { createLogger } from '../log/pino-logger.ts'
import type { Home } from '../node/home/home.ts'
import { lockHome } from '../node/home/home-lock.ts'
import { ARCHIVE_CONFIG } from '../node/home/new-home-config.ts'
import type { ImportProgress } from '../node/offline/import-chain.ts'
import { chooseHome, homeOption } from './option/home-option.ts'

interface ImportFlags {
  readonly genesis?: string
  readonly home?: string
}

/** Where a terminal shows the line, it is written anew at most this often. */
const REWRITE_MS = 100

function describe({ imported, known, height }: ImportProgress): string {
  const skipped = known === 0 ? '' : `, ${known} were there`
  return `Imported ${imported} blocks${skipped}; the chain ends at block ${height}`
}

/** Writes how far an import is into one line: over and over on a terminal, else once at the end. */
function progressLine() {
  let shownAt = 0
  const isTerminal = process.stderr.isTTY
  return {
    show(progress: ImportProgress): void {
      const now = performance.now()
      if (!isTerminal || now - shownAt < REWRITE_MS) return
      shownAt = now
      process.stderr.write(`\r\x1b[K${describe(progress)}`)
    },
    end(progress: ImportProgress): void {
      process.stderr.write(`${isTerminal ? '\r\x1b[K' : ''}${describe(progress)}\n`)
    },
  }
}

/** The configuration of a home; where it has none yet, the one that the import will write. */
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
    .option('--genesis <FILE>', "geth's genesis.json of the chain; needed the first time")
    .addOption(homeOption())
    .action(async (file: string, flags: ImportFlags) => {
      const home = chooseHome(flags.home)
      const config = importConfig(home)
      const write = (line: string): void => void process.stderr.write(line)
      const logger = createLogger({ level: 'warn', format: config.logFormat, write })
      const lock = lockHome(home)
      try {
        // Loaded here: help and refusals need neither the stores nor the engine.
        const { importChain } = await import('../node/offline/import-chain.ts')
        const line = progressLine()
        const progress: ImportProgress = { imported: 0, known: 0, height: -1 }
        try {
          const onProgress = (now: ImportProgress) => line.show(Object.assign(progress, now))
          const { genesis } = flags
          Object.assign(
            progress,
            await importChain({ home, config, logger, file, genesis, onProgress }),
          )
        } finally {
          if (progress.height >= 0) line.end(progress)
        }
      } finally {
        lock.release()
      }
    })
}
