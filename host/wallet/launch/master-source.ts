import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import { writeFully } from '../../storage/table/file-bytes.ts'
import { storeError } from '../../storage/table/store-error.ts'
import type { MasterSecret } from '../vault/master-secret.ts'

/** Source of the master key. */
export type MasterSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'passphrase'; readonly path: string }
  | { readonly kind: 'command'; readonly command: string }

const KEY_BYTES = 32
const COMMAND_MS = 30_000
const NEWLINE = 0x0a

/** Returns the path of the next key during a rotation. It replaces the key file once everything is wrapped with it. */
export function nextKeyPath(path: string): string {
  return `${path}.next`
}

function refuse(message: string, hint: string): never {
  throw new LockstepError('CONFIG_INVALID', `[wallets] ${message}`, { hint })
}

/** Reads a secret file, which must be accessible to its owner only. @throws CONFIG_INVALID */
function readPrivate(key: string, path: string): Buffer {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code
    return refuse(`${key} = "${path}" cannot be opened (${reason})`, 'restore it from its backup')
  }
  try {
    const mode = fstatSync(file).mode & 0o777
    if ((mode & 0o077) !== 0) {
      refuse(
        `${key} = "${path}" is open to others (mode ${mode.toString(8).padStart(4, '0')})`,
        `run \`chmod 600 ${path}\`, and rotate the master key if others may have read it`,
      )
    }
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

function digitOf(code: number | undefined): number {
  const digit = Number.parseInt(String.fromCharCode(code ?? 0), 16)
  return Number.isNaN(digit) ? -1 : digit
}

/** Decodes 64 hex digits with optional white space around them. Zeroes the input and creates no string of the key. */
function decodeKey(text: Buffer): Uint8Array | undefined {
  const begin = text.findIndex((code) => code > 0x20)
  const length = text.findLastIndex((code) => code > 0x20) + 1 - begin
  const key = new Uint8Array(KEY_BYTES)
  let isHex = length === 2 * KEY_BYTES
  for (let i = 0; isHex && i < KEY_BYTES; i++) {
    const [high, low] = [digitOf(text[begin + 2 * i]), digitOf(text[begin + 2 * i + 1])]
    isHex = high >= 0 && low >= 0
    key[i] = (high << 4) | low
  }
  text.fill(0)
  return isHex ? key : undefined
}

/** Returns the key in a file of 64 hex digits. @throws CONFIG_INVALID */
export function keyOfFile(path: string): MasterSecret {
  const bytes = decodeKey(readPrivate('master-key-file', path))
  if (bytes !== undefined) return { kind: 'key', bytes }
  return refuse(
    `master-key-file = "${path}" does not hold 64 hex digits`,
    'restore it from its backup: without it the wallets cannot be opened',
  )
}

/** Creates a key file atomically. Keeps an existing one. @throws STORE_DENIED, STORE_FULL */
export function makeKeyFile(path: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const text = Buffer.alloc(2 * KEY_BYTES + 1, NEWLINE)
    text.write(randomBytes(KEY_BYTES).toString('hex'), 'latin1')
    const file = openSync(temporary, 'wx', 0o600)
    writeFully(file, text)
    text.fill(0)
    fsyncSync(file)
    closeSync(file)
    linkSync(temporary, path)
    syncFolder(path)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw storeError(path, thrown)
  } finally {
    rmSync(temporary, { force: true })
  }
}

function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

function secretOfPassphrase(path: string): MasterSecret {
  if (path === '') refuse('passphrase-file is empty', 'name a file that holds the passphrase')
  const text = readPrivate('passphrase-file', path)
  const end = text.indexOf(NEWLINE)
  const line = end === -1 ? text : text.subarray(0, end)
  const bytes = Uint8Array.from(line.at(-1) === 0x0d ? line.subarray(0, -1) : line)
  text.fill(0)
  if (bytes.length === 0) {
    refuse(
      `passphrase-file = "${path}" has an empty first line`,
      'write the passphrase on the first line',
    )
  }
  return { kind: 'passphrase', bytes }
}

function keyOfCommand(command: string): MasterSecret {
  if (command === '') refuse('master-key-command is empty', 'write the command that prints the key')
  const { status, signal, stdout, error } = spawnSync('/bin/sh', ['-c', command], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: COMMAND_MS,
    maxBuffer: 4_096,
  })
  const problem = error !== undefined || status !== 0 ? `ended with ${signal ?? status}` : undefined
  const bytes = decodeKey(stdout ?? Buffer.alloc(0))
  if (problem === undefined && bytes !== undefined) return { kind: 'key', bytes }
  return refuse(
    `master-key-command ${problem ?? 'did not print 64 hex digits'}`,
    'run it by hand as the user of the node; it must end within 30 s',
  )
}

/**
 * Returns the secrets that may open the vault, most likely first.
 * @param isNew true if the vault does not exist yet: creates a missing key file
 * @throws CONFIG_INVALID without any secret in its message
 */
export function readMasterSecrets(source: MasterSource, isNew: boolean): readonly MasterSecret[] {
  if (source.kind === 'passphrase') return [secretOfPassphrase(source.path)]
  if (source.kind === 'command') return [keyOfCommand(source.command)]
  if (isNew) makeKeyFile(source.path)
  const next = nextKeyPath(source.path)
  return [source.path, ...(existsSync(next) ? [next] : [])].map(keyOfFile)
}

/** Completes an interrupted rotation. `used` is the position of the secret that opened the vault. */
export function settleKeyFile(source: MasterSource, used: number): void {
  if (source.kind !== 'file') return
  const next = nextKeyPath(source.path)
  if (!existsSync(next)) return
  if (used === 1) renameSync(next, source.path)
  else rmSync(next)
  syncFolder(source.path)
}
