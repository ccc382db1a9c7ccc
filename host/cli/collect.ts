import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { LockstepError, messageOf } from '../base/error.ts'
import { readReadyFile } from './client/ready-file.ts'
import { chooseHome, homeOption } from './option/home-option.ts'

interface CollectFlags {
  readonly home?: string
  readonly log?: readonly string[]
  readonly out?: string
}

/** Returns a file name in the current folder with the time. */
function nameAt(time: Date): string {
  return `lockstep-crash-${time.toISOString().replaceAll(':', '-')}.tar.gz`
}

export function defineCollect(command: Command): void {
  command
    .addOption(homeOption())
    .option(
      '--log <FILE>',
      'log to read instead of those of the home; - is standard input; may be repeated',
      (path: string, paths: readonly string[] = []) => [...paths, path],
    )
    .option('--out <FILE>', 'file to write (default: lockstep-crash-<time>.tar.gz)')
    .action(async (flags: CollectFlags) => {
      const home = chooseHome(flags.home)
      const time = new Date()
      const path = resolve(flags.out ?? nameAt(time))
      if (existsSync(path)) {
        throw new LockstepError('INVALID_ARGUMENT', `--out: ${path} exists`, {
          hint: 'name another file',
        })
      }
      const { diagnose, linesOfLogs } = await import('../node/diagnosis/diagnose.ts')
      const { crashBundle } = await import('../node/diagnosis/crash-bundle.ts')
      const { readTail } = await import('../node/diagnosis/log-tail.ts')
      const logs = flags.log ?? []
      const diagnosis = await diagnose({
        home,
        environment: process.env,
        // Standard input can be read only once: its lines go into the bundle.
        logs: logs.filter((log) => log !== '-'),
        consensus: readReadyFile(home.running)?.consensus,
        deep: undefined,
      })
      const tail = await readTail(linesOfLogs(diagnosis.facts, logs))
      try {
        await writeFile(path, await crashBundle(diagnosis, tail, time), { mode: 0o600, flag: 'wx' })
        await chmod(path, 0o600)
      } catch (cause) {
        throw new LockstepError('INVALID_ARGUMENT', `--out: ${messageOf(cause)}`, { cause })
      }
      process.stderr.write(
        `${tail.lines.length} log lines and ${diagnosis.findings.length} findings; secrets are left out, ` +
          'but look through it before you send it\n',
      )
      process.stdout.write(`${path}\n`)
    })
}
