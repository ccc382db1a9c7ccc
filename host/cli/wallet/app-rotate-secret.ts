import type { Command } from 'commander'
import { homeOption } from '../option/home-option.ts'
import { printSecret } from './app-form.ts'
import { type AppFlags, withApps } from './apps-of.ts'

export function defineAppRotateSecret(command: Command): void {
  command
    .argument('<app-id>', 'the app')
    .option('--json', 'print appId and appSecret as an object')
    .addOption(homeOption())
    .action((appId: string, flags: AppFlags) => {
      const rotated = withApps(flags.home, (apps) => apps.rotate(appId))
      printSecret(rotated, flags.json === true)
    })
}
