import type { Command } from 'commander'
import { VERSION } from '../node/version.ts'

export function defineVersion(command: Command): void {
  command.action(() => {
    process.stdout.write(`${VERSION}\n`)
  })
}
