import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { LockstepError, messageOf } from '../../base/error.ts'
import type { Logger } from '../../base/log/logger.ts'
import { pause } from '../../base/timer.ts'
import type { Home } from '../home/home.ts'

/** Asks a running node for a profile. Node itself uses SIGUSR1, and the log reopens its file at it. */
export const PROFILE_SIGNAL = 'SIGUSR2'

/** Longest profile: V8 keeps its samples in memory. */
export const MAX_PROFILE_SECONDS = 600

/** A request, which the command writes into the home before it signals the node. */
interface ProfileRequest {
  readonly seconds: number
  /** Absolute path of the file to write. */
  readonly out: string
}

function requestPath({ root }: Home): string {
  return join(root, 'profile-request.json')
}

/** Returns true if the process has a handler for `PROFILE_SIGNAL`, which ends a process without one. */
function catchesSignal(pid: number): boolean {
  // Elsewhere there is no list of handled signals; every release with this command has the handler.
  if (process.platform !== 'linux') return true
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const caught = BigInt(`0x${/^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`)
  return (caught & (1n << 11n)) !== 0n
}

/**
 * Asks the node of a home, which runs as process `pid`, to write a profile. The node removes the request when it has
 * written the file, or has failed.
 * @throws UNSUPPORTED if the node cannot, HOME_LOCKED while another profile is recorded
 */
export function requestProfile(home: Home, pid: number, request: ProfileRequest): void {
  if (process.platform === 'win32' || !catchesSignal(pid)) {
    throw new LockstepError('UNSUPPORTED', `the node with process id ${pid} records no profiles`, {
      hint: 'start it with this release, on Linux or macOS',
    })
  }
  const path = requestPath(home)
  try {
    writeFileSync(path, JSON.stringify(request), { mode: 0o600, flag: 'wx' })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
    throw new LockstepError(
      'HOME_LOCKED',
      `the node of ${home.root} is recording another profile`,
      {
        hint: 'wait until it is written',
        cause,
      },
    )
  }
  process.kill(pid, PROFILE_SIGNAL)
}

/** Returns true until the node has written the requested profile, or has failed. */
export function isProfileRequested(home: Home): boolean {
  return existsSync(requestPath(home))
}

/** Records what the main thread of this process does. @returns a .cpuprofile, as browsers open it */
async function recordProfile(seconds: number, signal: AbortSignal): Promise<string> {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.start')
    await pause(seconds * 1000, signal)
    const { profile } = await session.post('Profiler.stop')
    return JSON.stringify(profile)
  } finally {
    session.disconnect()
  }
}

/**
 * Writes a profile each time that the process is asked for one.
 * @returns a function that ends this
 */
export function answerProfileRequests(home: Home, logger: Logger): () => void {
  const ending = new AbortController()
  const request = requestPath(home)
  // Of a node that was killed
  rmSync(request, { force: true })
  let isRecording = false
  const record = async (): Promise<void> => {
    // A signal without a request of its own
    if (isRecording) return
    isRecording = true
    let temporary: string | undefined
    try {
      const { seconds, out } = JSON.parse(readFileSync(request, 'utf8')) as ProfileRequest
      const partial = `${out}.tmp`
      // An unwritable path fails before the recording.
      writeFileSync(partial, '', { mode: 0o600 })
      temporary = partial
      logger.info('recording a profile', { seconds, out })
      const profile = await recordProfile(seconds, ending.signal)
      writeFileSync(partial, profile)
      renameSync(partial, out)
      temporary = undefined
      logger.info('recorded a profile', { out, bytes: profile.length })
    } finally {
      if (temporary !== undefined) rmSync(temporary, { force: true })
      rmSync(request, { force: true })
      isRecording = false
    }
  }
  const onSignal = (): void => {
    record().catch((thrown) => {
      logger.warn('a profile cannot be recorded', { reason: messageOf(thrown) })
    })
  }
  process.on(PROFILE_SIGNAL, onSignal)
  return () => {
    ending.abort()
    process.off(PROFILE_SIGNAL, onSignal)
  }
}
