import type { Command } from 'commander'
import { homeOption } from '../option/home-option.ts'
import { type AppFlags, withApps } from './apps-of.ts'

export function defineAppDelete(command: Command): void {
  command
    .argument('<app-id>', 'the app')
    .addOption(homeOption())
    .action((appId: string, flags: Omit<AppFlags, 'json'>) => {
      withApps(flags.home, (apps) => apps.delete(appId))
      process.stderr.write(
        `Deleted ${appId}: its wallets can no longer be used, but their keys stay\n`,
      )
    })
}
