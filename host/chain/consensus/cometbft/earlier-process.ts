import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../../base/error.ts'
import { delay } from '../../../base/timer.ts'

const LOOK_MS = 10

/** A process that is killed is gone after so long, unless its disk does not answer. */
const MOST_MS = 20_000

function fileOf(root: string): string {
  return join(root, 'pid')
}

/** Notes the CometBFT that runs in a folder, for the start after a crash of the node. */
export function noteProcess(root: string, pid: number): void {
  writeFileSync(fileOf(root), `${pid}\n`, { mode: 0o600 })
}

export function forgetProcess(root: string): void {
  rmSync(fileOf(root), { force: true })
}

/** The arguments of a process; empty where there is none, or it has ended and waits for its parent. */
function argumentsOf(pid: number): string {
  if (process.platform === 'linux') {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    } catch {
      return ''
    }
  }
  return (
    spawnSync('ps', ['-ww', '-p', String(pid), '-o', 'args='], { encoding: 'utf8' }).stdout ?? ''
  )
}

function notedProcess(root: string): number | undefined {
  try {
    const pid = Number(readFileSync(fileOf(root), 'utf8'))
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}

/** Ends a process with those that it has started: a script in the place of CometBFT would leave the one that it runs. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It leads no group, or is gone.
  }
  try {
    process.kill(pid, 'SIGKILL')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown
  }
}

/**
 * Ends the CometBFT that a node which was killed has left in a folder. It would end by itself, since its application is
 * gone; but until then it may vote, and the next one would read what it has signed too early. One that had not reached
 * its application yet would not even end: it asks again until there is one.
 * @returns its id; undefined where there was none
 * @throws HOME_LOCKED where it cannot be ended
 */
export async function endEarlier(root: string): Promise<number | undefined> {
  const pid = notedProcess(root)
  const isIts = (): boolean =>
    pid !== undefined && argumentsOf(pid).trimEnd().endsWith(` --home ${root}`)
  if (pid === undefined || !isIts()) return undefined
  killGroup(pid)
  const until = performance.now() + MOST_MS
  while (isIts()) {
    if (performance.now() > until) {
      throw new LockstepError(
        'HOME_LOCKED',
        `resource temporarily unavailable: ${root} is in use by CometBFT, process ${pid}`,
        { hint: `end process ${pid} (\`kill -9 ${pid}\`; reboot if it stays), and start again` },
      )
    }
    await delay(LOOK_MS)
  }
  forgetProcess(root)
  return pid
}
