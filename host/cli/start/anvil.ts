import type { Command } from 'commander'
import { addAnvilFlags } from './anvil-options.ts'

export function defineAnvil(command: Command): void {
  const readFlags = addAnvilFlags(command)
  command.action(async () => {
    const passed = readFlags()
    // Completion and help need only the flags.
    const { runAnvil } = await import('./run-anvil.ts')
    await runAnvil(passed)
  })
}
