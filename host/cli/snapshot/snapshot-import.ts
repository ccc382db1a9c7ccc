import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { createLogger } from '../../log/pino-logger.ts'
import { lockHome } from '../../node/home/home-lock.ts'
import type { ImportStep } from '../../snapshot/import-snapshot.ts'
import { chooseHome, configOf, homeOption } from '../option/home-option.ts'
import { namedSnapshot, SNAPSHOT_ARGUMENT } from './snapshot-argument.ts'
import { describeSnapshot } from './snapshot-text.ts'

function describeStep(step: ImportStep): string {
  switch (step.kind) {
    case 'resumed':
      return `Going on behind the ${step.chunks} chunks that were taken before`
    case 'restarted':
      return `Removed what an earlier import of height ${step.height} had taken: beginning anew`
    case 'chunk':
      return `Took chunk ${step.chunks} of ${step.of}`
    case 'proving':
      return 'Hashing all rows and comparing them with the app hash'
    case 'loading':
      return 'Loading the state store, from its beginning'
  }
}

interface ImportFlags {
  readonly home?: string
  readonly genesis?: string
}

export function defineSnapshotImport(command: Command): void {
  command
    .argument(...SNAPSHOT_ARGUMENT)
    .option('--genesis <FILE>', "the chain's genesis.json, for a home that has none")
    .addOption(homeOption())
    .action(async (text: string, flags: ImportFlags) => {
      const home = chooseHome(flags.home)
      const { dir, source } = namedSnapshot(text, home)
      const genesis = flags.genesis ?? source?.config.genesis
      const config = configOf(home)
      const write = (line: string): void => void process.stderr.write(line)
      const logger = createLogger({ level: 'warn', format: config.logFormat, write })
      if (genesis !== undefined && !existsSync(home.config.genesis)) {
        write(`Making ${home.root} a home of the chain of ${genesis}, with keys of its own\n`)
      }
      const lock = lockHome(home)
      try {
        // Loaded here: help and refusals need neither the stores nor the engine.
        const { importHome } = await import('../../node/offline/home-snapshots.ts')
        const metadata = await importHome({ home, config, logger }, { dir, genesis }, (step) =>
          write(`${describeStep(step)}\n`),
        )
        write(`Imported ${describeSnapshot(metadata)}\n`)
      } finally {
        lock.release()
      }
    })
}
