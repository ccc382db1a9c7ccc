import type { Command } from 'commander'
import type { App } from '../../wallet/service/app-store.ts'
import { homeOption } from '../option/home-option.ts'
import { type AppFlags, withApps } from './apps-of.ts'

function toLine({ id, createdAt, name }: App): string {
  return `${id}  ${new Date(createdAt).toISOString()}  ${name ?? ''}`.trimEnd()
}

export function defineAppList(command: Command): void {
  command
    .option('--json', 'print an array of objects')
    .addOption(homeOption())
    .action((flags: AppFlags) => {
      const apps = withApps(flags.home, (store) => store.list())
      process.stdout.write(
        flags.json === true
          ? `${JSON.stringify(apps)}\n`
          : apps.map((app) => `${toLine(app)}\n`).join(''),
      )
    })
}
