import type { Command } from 'commander'
import { createLogger } from '../../base/log/pino-logger.ts'
import { writeFileAtomic } from '../../chain/consensus/validator/atomic-file.ts'
import { writableGenesis } from '../../evm/chain-types/genesis-codec.ts'
import { lockHome } from '../../node/home/home-lock.ts'
import { chooseHome, configOf, homeOption } from '../option/home-option.ts'

interface ExportFlags {
  readonly home?: string
  readonly out?: string
}

export function defineGenesisExport(command: Command): void {
  command
    .option('--out <FILE>', 'file to write (default: standard output)')
    .addOption(homeOption())
    .action(async (flags: ExportFlags) => {
      const home = chooseHome(flags.home)
      const config = configOf(home)
      const write = (line: string): void => void process.stderr.write(line)
      const logger = createLogger({ level: 'warn', format: config.logFormat, write })
      const lock = lockHome(home)
      try {
        // Loaded here: help and argument errors need neither the stores nor the engine.
        const { continueGenesis } = await import('../../node/offline/continue-genesis.ts')
        const genesis = await continueGenesis({ home, config, logger })
        const text = writableGenesis(genesis)
        if (flags.out === undefined) process.stdout.write(text)
        else await writeFileAtomic(flags.out, text)
        const { initialHeight, validators } = genesis
        const names = validators.map(({ name, power }) => `${name || 'unnamed'} (${power})`)
        write(
          `The chain continues at height ${initialHeight} under CometBFT; validators: ${names.join(', ')}\n`,
        )
      } finally {
        lock.release()
      }
    })
}
