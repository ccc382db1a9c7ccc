import type { Command } from 'commander'
import { addConfigFlags } from '../option/config-flags.ts'
import { homeOption } from '../option/home-option.ts'
import type { StartFlags } from './run-start.ts'

export function defineStart(command: Command): void {
  command
    .option('--dev', 'a chain of this node alone, with funded accounts; made when missing')
    .addOption(homeOption())
    .option('--chain-id <ID>', 'EVM chain id of a new dev chain; otherwise checked')
    .option('--ready-file <PATH>', 'write addresses there as JSON once everything answers')
  const readFlags = addConfigFlags(command)
  command.action(async (flags: StartFlags) => {
    const passed = readFlags()
    // Completion and help need the flags alone
    const { runStart } = await import('./run-start.ts')
    await runStart(flags, passed)
  })
}
