import type { Command } from 'commander'
import { addConfigFlags } from '../option/config-flags.ts'
import { homeOption } from '../option/home-option.ts'
import type { StartFlags } from './run-start.ts'

export function defineStart(command: Command): void {
  command
    .option('--dev', 'run a single-node development chain with funded accounts; created if missing')
    .addOption(homeOption())
    .option('--chain-id <ID>', 'EVM chain id of a new dev chain; an existing chain must have it')
    .option(
      '--ready-file <PATH>',
      'write the addresses into this file as JSON when everything is ready',
    )
  const readFlags = addConfigFlags(command)
  command.action(async (flags: StartFlags) => {
    const passed = readFlags()
    // Completion and help need only the flags.
    const { runStart } = await import('./run-start.ts')
    await runStart(flags, passed)
  })
}
