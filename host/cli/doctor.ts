import type { Command } from 'commander'
import { LockstepError } from '../base/error.ts'
import type { Finding } from '../node/diagnosis/finding.ts'
import type { Home } from '../node/home/home.ts'
import { readReadyFile } from './client/ready-file.ts'
import { chooseHome, homeOption } from './option/home-option.ts'

interface DoctorFlags {
  readonly home?: string
  readonly log?: readonly string[]
  readonly deep?: true
  readonly json?: true
}

function toText(findings: readonly Finding[]): string {
  return findings
    .map(({ severity, subject, what, remedy }, i) => {
      const label = severity === 'fault' ? 'FAULT  ' : 'warning'
      return `${i + 1}. ${label} ${subject}: ${what}\n   ${remedy}\n`
    })
    .join('')
}

/** Reads every row of a stopped home. */
async function readDeep(home: Home): Promise<readonly Finding[]> {
  // Loaded here: examining a home needs neither the stores nor the engine.
  const { checkRows } = await import('../node/diagnosis/check-rows.ts')
  return checkRows(home, process.env)
}

export function defineDoctor(command: Command): void {
  command
    .addOption(homeOption())
    .option(
      '--log <FILE>',
      'log to read instead of those of the home; - is standard input; may be repeated',
      (path: string, paths: readonly string[] = []) => [...paths, path],
    )
    .option('--deep', 'also read every row of a stopped home, as debug verify-db does')
    .option('--json', 'print an object')
    .action(async (flags: DoctorFlags) => {
      const home = chooseHome(flags.home)
      const { diagnose } = await import('../node/diagnosis/diagnose.ts')
      const { findings } = await diagnose({
        home,
        environment: process.env,
        logs: flags.log ?? [],
        consensus: readReadyFile(home.running)?.consensus,
        deep: flags.deep === true ? () => readDeep(home) : undefined,
      })
      const faults = findings.filter(({ severity }) => severity === 'fault')
      if (flags.json === true) {
        process.stdout.write(`${JSON.stringify({ home: home.root, findings })}\n`)
      } else {
        process.stdout.write(toText(findings))
        if (faults.length === 0) process.stdout.write(`no fault found in ${home.root}\n`)
      }
      if (faults.length === 0) return
      const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`
      throw new LockstepError('FAULTS_FOUND', `${home.root} has ${count}`)
    })
}
