import type { Command } from 'commander'
import { addConfigFlags } from '../option/config-flags.ts'
import { homeOption } from '../option/home-option.ts'
import { ANVIL_FLAGS, anvilFlagNames } from './anvil-flags.ts'
import type { StartFlags } from './run-start.ts'

/** Adds to commander's message which of the own flags replaces one of anvil. */
function withOwnFlag(message: string): string {
  const [, name] = /unknown option '--([A-Za-z-]+)/.exec(message) ?? []
  const row = ANVIL_FLAGS.find((each) => anvilFlagNames(each).some((known) => known === name))
  if (row?.key === undefined) return message
  return `error: unknown option '--${name}'\nHint: write --${row.key}, or run \`lockstep anvil\`, which has the flags of anvil\n`
}

export function defineStart(command: Command): void {
  command
    .configureOutput({
      outputError: (text, write) => write(withOwnFlag(text).replace(/^error: /, 'Error: ')),
    })
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
