import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { LockstepError } from '../base/error.ts'
import { delay } from '../base/timer.ts'
import {
  isProfileRequested,
  MAX_PROFILE_SECONDS,
  requestProfile,
} from '../node/diagnosis/cpu-profile.ts'
import { readReadyFile } from './client/ready-file.ts'
import { chooseHome, homeOption, requireHome } from './option/home-option.ts'

/** Milliseconds between two looks for the file. */
const LOOK_MS = 100

/** Time beyond the profile itself that a busy node may need to write it, ms. */
const GRACE_MS = 60_000

interface ProfileFlags {
  readonly home?: string
  readonly seconds: string
  readonly out?: string
}

/** @throws INVALID_ARGUMENT */
function parseSeconds(text: string): number {
  const seconds = Number(text)
  if (/^\d{1,3}$/.test(text) && seconds >= 1 && seconds <= MAX_PROFILE_SECONDS) return seconds
  throw new LockstepError(
    'INVALID_ARGUMENT',
    `--seconds: "${text}" is not a whole number from 1 to ${MAX_PROFILE_SECONDS}`,
  )
}

async function untilWritten(out: string, seconds: number, isPending: () => boolean) {
  const end = performance.now() + seconds * 1000 + GRACE_MS
  while (!existsSync(out)) {
    // It may have been written between the two looks.
    if ((!isPending() && !existsSync(out)) || performance.now() > end) {
      throw new LockstepError('NOT_FOUND', `the node wrote no profile to ${out}`, {
        hint: 'its log says why',
      })
    }
    await delay(LOOK_MS)
  }
}

export function defineProfile(command: Command): void {
  command
    .addOption(homeOption())
    .option('--seconds <n>', `duration, at most ${MAX_PROFILE_SECONDS}`, '10')
    .option('--out <FILE>', 'file to write (default: lockstep-<time>.cpuprofile)')
    .action(async (flags: ProfileFlags) => {
      const home = chooseHome(flags.home)
      requireHome(home)
      const seconds = parseSeconds(flags.seconds)
      const time = new Date().toISOString().replaceAll(':', '-')
      const out = resolve(flags.out ?? `lockstep-${time}.cpuprofile`)
      if (existsSync(out)) {
        throw new LockstepError('INVALID_ARGUMENT', `--out: ${out} exists`, {
          hint: 'name another file',
        })
      }
      const running = () => readReadyFile(home.running)
      const node = running()
      if (node === undefined) {
        throw new LockstepError('NODE_UNREACHABLE', `no node runs in ${home.root}`)
      }
      requestProfile(home, node.pid, { seconds, out })
      process.stderr.write(`recording for ${seconds} s\n`)
      await untilWritten(out, seconds, () => running() !== undefined && isProfileRequested(home))
      process.stdout.write(`${out}\n`)
    })
}
