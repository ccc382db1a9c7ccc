import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { LockstepError } from '../../base/error.ts'

const KEY_BYTES = 32
const FILE = 'challenge.key'

function isError(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code
}

/** Checksum of the key: one flipped digit would invalidate every issued challenge. */
function checkOf(key: string): string {
  return crc32(key).toString(16).padStart(8, '0')
}

function readKey(file: string): Uint8Array | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (isError(error, 'ENOENT')) return undefined
    throw error
  }
  // Earlier releases wrote the key alone.
  const [, key, check] = /^([0-9a-f]{64})(?: ([0-9a-f]{8}))?$/.exec(text) ?? []
  if (key !== undefined && (check ?? checkOf(key)) === checkOf(key)) return Buffer.from(key, 'hex')
  throw new LockstepError('CONFIG_INVALID', `${file} does not hold a key of ${KEY_BYTES} bytes`, {
    hint: 'remove the file: a new key is created, and payments for challenges of the old one are refused',
  })
}

/** Creates the key file atomically: if two processes race, one wins and both read the same key. */
function makeKey(file: string): void {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  const key = randomBytes(KEY_BYTES).toString('hex')
  writeFileSync(draft, `${key} ${checkOf(key)}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    if (!isError(error, 'EEXIST')) throw error
  } finally {
    rmSync(draft)
  }
}

/**
 * Returns the MAC key of a folder's references, created if missing. The file (mode 0600) holds 64 hex digits and
 * their CRC-32.
 * @throws CONFIG_INVALID if the file holds anything else
 */
export function challengeKey(folder: string): Uint8Array {
  const file = join(folder, FILE)
  const present = readKey(file)
  if (present !== undefined) return present
  makeKey(file)
  return readKey(file) as Uint8Array
}
