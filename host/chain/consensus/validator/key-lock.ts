import { realpathSync } from 'node:fs'
import { createConnection, createServer, type Server } from 'node:net'
import { LockstepError } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'
import { type FileLock, tryLockFile } from '../../../storage/store/sqlite/file-lock.ts'

/** The exclusive right to sign with a key. */
export interface KeyLock {
  release(): Promise<void>
}

/** Milliseconds in which the owner of a key must identify itself. */
const ANSWER_MS = 1000

/** Length limit of its response, in characters. */
const ANSWER_LENGTH = 500

/**
 * Returns a name that the operating system grants to one process of the machine and frees when it ends, however it
 * ends. Undefined if the system has no such names (macOS).
 */
function machineName(address: string): string | undefined {
  const name = `lockstep-validator-${address}`
  if (process.platform === 'linux') return `\0${name}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : undefined
}

/** Asks the process that owns the name to identify itself. */
function askOwner(name: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = createConnection(name)
    const end = () => {
      socket.destroy()
      resolve(/^process \d+ of [^\n]+/.exec(text)?.[0] ?? 'another process')
    }
    socket.setTimeout(ANSWER_MS, end)
    socket.on('data', (bytes) => {
      text += bytes
      if (text.length > ANSWER_LENGTH) end()
    })
    socket.on('end', end)
    socket.on('error', end)
  })
}

function refused(address: string, owner: string): LockstepError {
  return new LockstepError('KEY_LOCKED', `the validator key ${address} is in use by ${owner}`)
}

/** Claims the machine-wide name of a key. Undefined if the operating system has no such names. */
async function takeName(address: string, user: string): Promise<Server | undefined> {
  const name = machineName(address)
  if (name === undefined) return undefined
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.end(`process ${process.pid} of ${user}\n`)
  })
  server.unref()
  const isTaken = await new Promise<boolean>((resolve, reject) => {
    server.once('listening', () => resolve(true))
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    })
    server.listen(name)
  })
  if (!isTaken) throw refused(address, await askOwner(name))
  return server
}

/**
 * Locks a validator's key for this process in two ways. A lock file beside the key, after resolving symbolic links,
 * works across containers and machines that share the folder. A machine-wide name made of the key's address works for
 * copies and hard links of the key on this machine.
 * @param user owner of the process, for the error message of a second process
 * @throws KEY_LOCKED if another process, or an earlier call in this one, has the key
 */
export async function lockKey(
  keyPath: string,
  keyAddress: Uint8Array,
  user: string,
): Promise<KeyLock> {
  const address = hexDigits(keyAddress).toUpperCase()
  const server = await takeName(address, user)
  let lock: FileLock | undefined
  try {
    lock = tryLockFile(`${realpathSync(keyPath)}.lock`)
    if (lock === undefined) throw refused(address, 'another process')
  } catch (thrown) {
    server?.close()
    throw thrown
  }
  return {
    release: async () => {
      lock.release()
      await new Promise<void>((resolve) => {
        if (server === undefined) resolve()
        else server.close(() => resolve())
      })
    },
  }
}
