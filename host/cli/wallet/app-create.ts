import type { Command } from 'commander'
import { homeOption } from '../option/home-option.ts'
import { printSecret } from './app-form.ts'
import { type AppFlags, withApps } from './apps-of.ts'

export function defineAppCreate(command: Command): void {
  command
    .argument('[name]', 'name in the list of apps')
    .option('--json', 'print appId and appSecret as an object')
    .addOption(homeOption())
    .action((name: string | undefined, flags: AppFlags) => {
      const made = withApps(flags.home, (apps) => apps.create(name ?? null))
      printSecret(made, flags.json === true)
    })
}
