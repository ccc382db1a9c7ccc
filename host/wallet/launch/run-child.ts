import { join } from 'node:path'
import { LockstepError, messageOf } from '../../base/error.ts'
import { delay } from '../../base/timer.ts'
import { type FileLock, tryLockFile } from '../../storage/store/sqlite/file-lock.ts'
import type { MasterSecret } from '../vault/master-secret.ts'
import {
  CHILD_LOG_LEVELS,
  type ChildLine,
  type ChildLog,
  type Identity,
  type StartLine,
} from './start-contract.ts'

/** What a child process receives. */
export interface ChildContext<Start> {
  readonly start: Start
  readonly secrets: readonly MasterSecret[]
  readonly log: ChildLog
  /**
   * Switches to the process's user and locks its folder, waiting for a previous process that is still ending. Call it
   * after all code is loaded (the user may not be able to read it) and before any file is opened.
   * @throws HOME_LOCKED
   */
  confine(): Promise<void>
}

/** A running service of a child process. */
export interface ChildService<Facts> {
  readonly facts: Facts
  /** Finishes the work in progress. */
  close(): Promise<void>
}

/** A start line has a few hundred bytes, plus the secrets. */
const MOST_START_BYTES = 1 << 20

const NEWLINE = 0x0a

/** Longer than a stopping process takes. */
const LONGEST_WAIT_MS = 15_000
const LOOK_AGAIN_MS = 20

/** Reads stdin up to the end of the secrets and leaves it open. */
function readStart(): Promise<{ line: StartLine<unknown>; secrets: readonly MasterSecret[] }> {
  const { stdin } = process
  return new Promise((resolve, reject) => {
    let read = Buffer.alloc(0)
    const look = (chunk: Buffer): void => {
      const before = read
      read = Buffer.concat([before, chunk])
      before.fill(0)
      chunk.fill(0)
      const end = read.indexOf(NEWLINE)
      if (end === -1 && read.length > MOST_START_BYTES) reject(new TypeError('no start line'))
      if (end === -1) return
      const line = JSON.parse(read.toString('utf8', 0, end)) as StartLine<unknown>
      const wanted = line.secrets.reduce((sum, { length }) => sum + length, end + 1)
      if (read.length < wanted) return
      stdin.off('data', look)
      // The end of stdin is the order to stop, and is only noticed while reading.
      stdin.resume()
      let offset = end + 1
      const secrets = line.secrets.map(({ kind, length }) => {
        const bytes = Uint8Array.from(read.subarray(offset, offset + length))
        offset += length
        return { kind, bytes }
      })
      read.fill(0)
      resolve({ line, secrets })
    }
    stdin.on('data', look)
    stdin.once('end', () => reject(new TypeError('stdin ended before the start line')))
  })
}

/** Gives up root permanently. The kernel also drops every capability and makes the process undumpable. */
function switchUser({ uid, gid, groups }: Identity): void {
  const { setgroups, setgid, setuid, getuid } = process
  if (setgroups === undefined || setgid === undefined || setuid === undefined) {
    throw new LockstepError('CONFIG_INVALID', 'this system has no users to change to', {
      hint: 'start the node as the user that its wallets are to run as',
    })
  }
  setgroups([...groups])
  setgid(gid)
  setuid(uid)
  if (getuid?.() !== uid) throw new TypeError(`still user ${getuid?.()} and not ${uid}`)
}

/** Locks the folder. Waits for a previous process: it ends by itself after its daemon was killed. */
async function takeFolder(folder: string): Promise<FileLock> {
  const path = join(folder, 'LOCK')
  const latest = performance.now() + LONGEST_WAIT_MS
  for (;;) {
    const lock = tryLockFile(path)
    if (lock !== undefined) return lock
    if (performance.now() > latest) {
      throw new LockstepError('HOME_LOCKED', `${folder} is in use by another process`)
    }
    await delay(LOOK_AGAIN_MS)
  }
}

/** Errors are ignored: the reader of the pipe has exited. */
function write(line: ChildLine<unknown>): void {
  process.stdout.write(`${JSON.stringify(line, replacer)}\n`)
}

/** JSON has no big integers and would serialize errors as empty objects. */
function replacer(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  return value instanceof Error ? value.message : value
}

function childLog(): ChildLog {
  const entries = CHILD_LOG_LEVELS.map((level) => [
    level,
    (message: string, fields: Readonly<Record<string, unknown>> = {}) =>
      write({ level, message, fields }),
  ])
  return Object.fromEntries(entries) as ChildLog
}

function failureOf(thrown: unknown): ChildLine<never> {
  const { code, hint } =
    thrown instanceof LockstepError ? thrown : { code: 'WALLETS_FAILED', hint: '' }
  return { failed: { code, message: messageOf(thrown), hint } }
}

/**
 * Runs a child process of the daemon: reads the start line, serves, reports ready, and closes when the daemon stops
 * it or exits.
 */
export async function runChild<Start extends { readonly folder: string }, Facts>(
  serve: (launched: ChildContext<Start>) => Promise<ChildService<Facts>>,
): Promise<void> {
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  // The terminal sends SIGINT to all processes; the daemon decides.
  process.on('SIGINT', () => {})
  const stopping = new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.stdin.once('end', () => resolve())
    process.stdin.once('error', () => resolve())
  })
  try {
    const { line, secrets } = await readStart()
    // The daemon sends the start line of the type that this process expects.
    const start = line.start as Start
    const { identity } = line
    let folder: FileLock | undefined
    const confine = async (): Promise<void> => {
      if (identity !== undefined) switchUser(identity)
      folder = await takeFolder(start.folder)
    }
    const serving = await serve({ start, secrets, log: childLog(), confine })
    write({ ready: serving.facts })
    await stopping
    await serving.close()
    folder?.release()
  } catch (thrown) {
    write(failureOf(thrown))
    process.exit(1)
  }
  // Open handles would keep the process alive, while the next one needs its folder and port.
  process.exit()
}
