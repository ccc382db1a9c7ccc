import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
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
 * Asks the node of a home, which runs as process `pid`, to write a profile.
 * @throws UNSUPPORTED if the node cannot
 */
export function requestProfile(home: Home, pid: number, request: ProfileRequest): void {
  if (process.platform === 'win32' || !catchesSignal(pid)) {
    throw new LockstepError('UNSUPPORTED', `the node with process id ${pid} records no profiles`, {
      hint: 'start it with this release, on Linux or macOS',
    })
  }
  writeFileSync(requestPath(home), JSON.stringify(request), { mode: 0o600 })
  process.kill(pid, PROFILE_SIGNAL)
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
  let isRecording = false
  const record = async (): Promise<void> => {
    const path = requestPath(home)
    const { seconds, out } = JSON.parse(readFileSync(path, 'utf8')) as ProfileRequest
    rmSync(path)
    if (isRecording) {
      logger.warn('a profile is being recorded: another one was refused', { out })
      return
    }
    isRecording = true
    try {
      logger.info('recording a profile', { seconds, out })
      const profile = await recordProfile(seconds, ending.signal)
      writeFileSync(`${out}.tmp`, profile, { mode: 0o600 })
      renameSync(`${out}.tmp`, out)
      logger.info('recorded a profile', { out, bytes: profile.length })
    } finally {
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
