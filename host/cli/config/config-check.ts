import type { Command } from 'commander'
import { inspectConfig } from '../../base/config/load.ts'
import { LockstepError } from '../../base/error.ts'
import { addConfigFlags } from '../option/config-flags.ts'
import { homeOption } from '../option/home-option.ts'
import { sourcesOf } from './config-sources.ts'

interface CheckFlags {
  readonly home?: string
  readonly json?: true
}

export function defineConfigCheck(command: Command): void {
  command.addOption(homeOption()).option('--json', 'print an object')
  const readFlags = addConfigFlags(command)
  command.action((flags: CheckFlags) => {
    const { home, sources } = sourcesOf(flags.home, readFlags())
    const { problems } = inspectConfig(sources)
    const faults = problems.map(({ message, hint }) => ({ fault: message, remedy: hint }))
    if (flags.json === true) {
      process.stdout.write(`${JSON.stringify({ faults })}\n`)
    } else {
      for (const { fault, remedy } of faults) process.stdout.write(`${fault}\n  ${remedy}\n`)
      if (faults.length === 0) process.stdout.write(`${home.config.directory} is right\n`)
    }
    if (faults.length === 0) return
    const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`
    throw new LockstepError('CONFIG_INVALID', `the configuration has ${count}`, {
      hint: '`lockstep config explain <key>` describes a key',
    })
  })
}
