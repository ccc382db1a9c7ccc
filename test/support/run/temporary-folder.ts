import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject, Vitest } from 'vitest/node'

/** With a space, which the path of a home may contain, and the id of the run's process. */
const NAME = /^lockstep test (\d+) /

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Deletes what killed runs left. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = NAME.exec(name)?.[1]
    if (pid === undefined || isRunning(Number(pid))) continue
    rmSync(join(parent, name), { recursive: true, force: true })
  }
}

/** Linux' file system in memory. */
const MEMORY = '/dev/shm'
/** Free bytes required there and on the machine: ten times what the fast set uses at once. */
const LEAST_FREE = 4 * 2 ** 30

/** Returns true if programs may run from a folder. Containers often mount it noexec. */
function canExecute(folder: string): boolean {
  const probe = mkdtempSync(join(folder, `lockstep test ${process.pid} `))
  try {
    const program = join(probe, 'program')
    writeFileSync(program, '', { mode: 0o700 })
    accessSync(program, constants.X_OK)
    return true
  } catch {
    return false
  } finally {
    rmSync(probe, { recursive: true })
  }
}

function hasRoomInMemory(): boolean {
  if (process.platform !== 'linux' || !existsSync(MEMORY)) return false
  if (process.availableMemory() < LEAST_FREE) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= LEAST_FREE && canExecute(MEMORY)
}

/**
 * Returns the parent of a run's folder: the one in the environment, otherwise memory for the fast set, whose stores
 * spend a third of their time syncing files, and disk for the slow set.
 */
function parentFolder({ projects }: Vitest): string {
  const isFast = projects.every(({ name }) => name === 'fast')
  return isFast && process.env.TMPDIR === undefined && hasRoomInMemory() ? MEMORY : tmpdir()
}

/**
 * Gives a run its own temporary folder.
 * @returns a function that deletes the folder at the end of the run. A file that leaves something in it fails by
 * itself (leave-nothing.ts), unless it crashed or all its tests are skipped.
 */
export function setup({ vitest }: TestProject): () => void {
  const before = process.env.TMPDIR
  const parent = parentFolder(vitest)
  removeAbandoned(parent)
  const folder = mkdtempSync(join(parent, `lockstep test ${process.pid} `))
  process.env.TMPDIR = folder
  return () => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    rmSync(folder, { recursive: true, force: true })
  }
}
