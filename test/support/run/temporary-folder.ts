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

/** The file system in memory of Linux. */
const MEMORY = '/dev/shm'
/** What it must have free, and the machine too: ten times what the fast set has at once. */
const LEAST_FREE = 4 * 2 ** 30

/** Whether programs may be run from a folder: containers often mount theirs without. */
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
 * Where the folder of a run goes: the place that the environment names; else for the fast set memory, since a third of
 * what its stores take is the syncing of files, and for the slow set a disk.
 */
function parentFolder({ projects }: Vitest): string {
  const isFast = projects.every(({ name }) => name === 'fast')
  return isFast && process.env.TMPDIR === undefined && hasRoomInMemory() ? MEMORY : tmpdir()
}

/**
 * Gives a run a temporary folder of its own.
 * @returns the end of the run, which removes the folder: a file that leaves something in it fails by itself
 * (leave-nothing.ts), unless it crashed or all its tests are skipped.
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
