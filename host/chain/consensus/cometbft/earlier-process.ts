import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../../base/error.ts'
import { delay } from '../../../base/timer.ts'

const LOOK_MS = 10

/** Time for a killed process to end; only a hanging disk takes longer. */
const MOST_MS = 20_000

function fileOf(root: string): string {
  return join(root, 'pid')
}

/** Records the CometBFT running in a folder, for the next start after a crash of the node. */
export function recordCometPid(root: string, pid: number): void {
  writeFileSync(fileOf(root), `${pid}\n`, { mode: 0o600 })
}

export function removeCometPid(root: string): void {
  rmSync(fileOf(root), { force: true })
}

/** Returns the arguments of a process; empty if it does not exist or is a zombie. */
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

/** Kills a process and its children: a wrapper script would leave the CometBFT that it runs. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is no group leader, or has ended.
  }
  try {
    process.kill(pid, 'SIGKILL')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown
  }
}

/**
 * Kills the CometBFT that a killed node left running in a folder. It would end by itself because its application is
 * gone. Until then it may vote, and its successor would read the signing state too early. If it had not connected to
 * its application yet, it would retry forever.
 * @returns its process id; undefined if none was running
 * @throws HOME_LOCKED if it does not end
 */
export async function killEarlierComet(root: string): Promise<number | undefined> {
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
  removeCometPid(root)
  return pid
}
