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

/** What a process of its own is given. */
export interface Launched<Start> {
  readonly start: Start
  readonly secrets: readonly MasterSecret[]
  readonly log: ChildLog
  /**
   * Becomes the user that it is to run as, and takes its folder, which a process that is still ending may have. To be
   * called when all code is loaded, which that user may not be able to read, and before anything is opened.
   * @throws HOME_LOCKED
   */
  confine(): Promise<void>
}

/** What runs in a process until it is told to stop. */
export interface Serving<Facts> {
  readonly facts: Facts
  /** Finishes what is in progress. */
  close(): Promise<void>
}

/** A start line is a few hundred bytes, and a passphrase no book. */
const MOST_START_BYTES = 1 << 20

const NEWLINE = 0x0a

/** A process that stops has less time than this. */
const LONGEST_WAIT_MS = 15_000
const LOOK_AGAIN_MS = 20

/** Reads stdin up to the end of the secrets, and leaves it open. */
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
      // Its end is the order to stop, which is seen only where it is read.
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

/** Gives up root for good: the kernel takes every capability along, and makes the process undumpable. */
function become({ uid, gid, groups }: Identity): void {
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

/** Waits for the process that has the folder: one whose daemon was killed ends by itself. */
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

/** A pipe whose reader is gone has nobody to tell. */
function write(line: ChildLine<unknown>): void {
  process.stdout.write(`${JSON.stringify(line, replacer)}\n`)
}

/** JSON has no big integers, and would leave errors empty. */
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
 * The life of a process that the daemon has started: takes its start line, serves, says that it is ready, and closes
 * when its daemon says so or is gone.
 */
export async function runChild<Start extends { readonly folder: string }, Facts>(
  serve: (launched: Launched<Start>) => Promise<Serving<Facts>>,
): Promise<void> {
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  // The terminal sends it to all processes; the daemon decides.
  process.on('SIGINT', () => {})
  const stopping = new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.stdin.once('end', () => resolve())
    process.stdin.once('error', () => resolve())
  })
  try {
    const { line, secrets } = await readStart()
    // The daemon makes the line of the process that it starts.
    const start = line.start as Start
    const { identity } = line
    let folder: FileLock | undefined
    const confine = async (): Promise<void> => {
      if (identity !== undefined) become(identity)
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
  // Whatever is still open would keep it: its folder and its port are wanted by the next one.
  process.exit()
}
