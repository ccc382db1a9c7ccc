import { existsSync, readFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Command } from 'commander'
import { inspectConfig } from '../../base/config/load.ts'
import { type ConfigChange, migrateFile } from '../../base/config/migrate-file.ts'
import { CONFIG_FILES, type ConfigFileName } from '../../base/config/schema.ts'
import { redactText } from '../../base/log/redact-text.ts'
import { writeFileAtomic } from '../../chain/consensus/validator/atomic-file.ts'
import { lockHome } from '../../node/home/home-lock.ts'
import { chooseHome, homeOption, requireHome } from '../option/home-option.ts'

interface MigrateFlags {
  readonly home?: string
  readonly dryRun?: true
  readonly json?: true
}

interface FileChange extends ConfigChange {
  readonly file: string
}

function toText({ file, line, before, after, reason }: FileChange): string {
  const shown = redactText(before).replaceAll('\n', '\n  ')
  const became = after === undefined ? 'switched off' : redactText(after)
  return `${file}:${line}: ${shown}\n  -> ${became} (${reason})\n`
}

/** Returns an unused file name beside `path`. */
function backupName(path: string): string {
  for (let number = 1; ; number++) {
    const name = `${path}.backup${number === 1 ? '' : number}`
    if (!existsSync(name)) return name
  }
}

export function defineConfigMigrate(command: Command): void {
  command
    .addOption(homeOption())
    .option('--dry-run', 'print the changes without writing them')
    .option('--json', 'print an array of objects')
    .action(async (flags: MigrateFlags) => {
      const home = chooseHome(flags.home)
      requireHome(home)
      const lock = flags.dryRun === true ? undefined : lockHome(home)
      try {
        const files = Object.keys(CONFIG_FILES) as ConfigFileName[]
        const { directory } = home.config
        const inspected = inspectConfig({
          directory,
          environment: process.env,
          flags: new Map(),
        })
        const migrated = files.flatMap((name) => {
          const path = join(directory, name)
          return existsSync(path)
            ? [{ path, ...migrateFile(path, name, readFileSync(path, 'utf8'), inspected) }]
            : []
        })
        const changed = migrated.filter(({ changes }) => changes.length > 0)
        for (const { path, text } of flags.dryRun === true ? [] : changed) {
          const backup = backupName(path)
          await copyFile(path, backup)
          await writeFileAtomic(path, text)
          process.stderr.write(`Kept the original file in ${relative(home.root, backup)}\n`)
        }
        const all = changed.flatMap(({ path, changes }) =>
          changes.map((change) => ({ file: relative(home.root, path), ...change })),
        )
        if (flags.json === true) process.stdout.write(`${redactText(JSON.stringify(all))}\n`)
        else process.stdout.write(all.map(toText).join('') || 'no changes needed\n')
      } finally {
        lock?.release()
      }
    })
}
