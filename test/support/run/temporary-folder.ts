import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** With a space, as the path of a home may have one, and the process whose run it is. */
const NAME = /^lockstep test (\d+) /

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** What runs left that were killed. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = NAME.exec(name)?.[1]
    if (pid === undefined || isRunning(Number(pid))) continue
    rmSync(join(parent, name), { recursive: true, force: true })
  }
}

/**
 * Gives a run a temporary folder of its own.
 * @returns the end of the run, which removes the folder: a file that leaves something in it fails by itself
 * (leave-nothing.ts), unless it crashed or all its tests are skipped.
 */
export function setup(): () => void {
  const before = process.env.TMPDIR
  const parent = tmpdir()
  removeAbandoned(parent)
  const folder = mkdtempSync(join(parent, `lockstep test ${process.pid} `))
  process.env.TMPDIR = folder
  return () => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    rmSync(folder, { recursive: true, force: true })
  }
}
