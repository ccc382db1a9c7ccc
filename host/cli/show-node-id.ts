import type { Command } from 'commander'
import { nodeIdOf, readNodeKey } from '../chain/consensus/validator/key-file.ts'
import { chooseHome, homeOption } from './option/home-option.ts'

export function defineShowNodeId(command: Command): void {
  command.addOption(homeOption()).action(async (flags: { readonly home?: string }) => {
    const key = await readNodeKey(chooseHome(flags.home).config.nodeKey)
    process.stdout.write(`${nodeIdOf(key)}\n`)
  })
}
