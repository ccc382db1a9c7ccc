import type { Command } from 'commander'
import { LockstepError } from '../base/error.ts'
import { lockHome } from '../node/home/home-lock.ts'
import { bytesAt } from '../node/offline/bytes-at.ts'
import type { VerifiedPart } from '../node/offline/verify-home.ts'
import { chooseHome, configOf, homeOption, requireHome } from './option/home-option.ts'
import { withProgress } from './progress/progress.ts'

const RESUME = 'run it again: a check changes nothing'

function toText({ path, rows, bytes, findings, skipped }: VerifiedPart): string {
  if (skipped !== undefined) return `skipped  ${path}: ${skipped}`
  const size = rows === undefined ? `${bytes} bytes` : `${rows} rows, ${bytes} bytes`
  if (findings.length === 0) return `ok       ${path}: ${size}`
  return findings.map((finding) => `damaged  ${path}: ${finding}`).join('\n')
}

export function defineVerifyDb(command: Command): void {
  command
    .addOption(homeOption())
    .option('--json', 'print an array of objects')
    .action(async (flags: { readonly home?: string; readonly json?: true }) => {
      const home = chooseHome(flags.home)
      requireHome(home)
      const config = configOf(home)
      const lock = lockHome(home)
      const parts: VerifiedPart[] = []
      try {
        await withProgress(
          { label: 'Verifying', unit: 'bytes', quiet: flags.json, resume: RESUME },
          async (progress) => {
            // Loaded here: help needs neither the stores nor the engine.
            const { verifyApart } = await import('../node/offline/verify-thread.ts')
            const total = bytesAt(home.data.directory)
            let bytes = 0
            const onPart = (part: VerifiedPart): void => {
              parts.push(part)
              if (flags.json === undefined) progress.print(toText(part))
              bytes += part.bytes
              progress.update(bytes, Math.max(total, bytes))
            }
            await verifyApart({ home, config }, onPart, progress.signal)
          },
        )
      } finally {
        lock.release()
      }
      if (flags.json === true) process.stdout.write(`${JSON.stringify(parts)}\n`)
      const damaged = parts.filter(({ findings }) => findings.length > 0)
      if (damaged.length === 0) return
      throw new LockstepError(
        'STORE_CORRUPTED',
        `${home.root} is damaged in ${damaged.map(({ path }) => path).join(', ')}`,
        {
          hint:
            'start the node: it rebuilds what it can; otherwise restore a backup of the whole home, or import ' +
            'a snapshot into a new one',
        },
      )
    })
}
