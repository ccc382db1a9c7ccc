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
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import { storeError } from '../../storage/table/store-error.ts'
import type { MasterSecret } from '../vault/master-secret.ts'

/** Where the master key comes from. */
export type MasterSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'passphrase'; readonly path: string }
  | { readonly kind: 'command'; readonly command: string }

const KEY_BYTES = 32
const COMMAND_MS = 30_000
const NEWLINE = 0x0a

/** The key of a rotation that has begun: the file takes its place when everything is wrapped by it. */
export function nextKeyPath(path: string): string {
  return `${path}.next`
}

function refuse(message: string, hint: string): never {
  throw new LockstepError('CONFIG_INVALID', `[wallets] ${message}`, { hint })
}

/** A file of a secret, which only its owner may read. @throws CONFIG_INVALID */
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
        `run \`chmod 600 ${path}\`, and rotate the master key where others may have read it`,
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

/** The 32 bytes of 64 hex digits, with white space around them, which are zeroed; no text is made of them. */
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

/** The key that a file of 64 hex digits holds. @throws CONFIG_INVALID */
export function keyOfFile(path: string): MasterSecret {
  const bytes = decodeKey(readPrivate('master-key-file', path))
  if (bytes !== undefined) return { kind: 'key', bytes }
  return refuse(
    `master-key-file = "${path}" does not hold 64 hex digits`,
    'restore it from its backup: without it the wallets cannot be opened',
  )
}

/** Makes a key file, whole or not at all; one that is there stays. @throws STORE_DENIED, STORE_FULL */
export function makeKeyFile(path: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const text = Buffer.alloc(2 * KEY_BYTES + 1, NEWLINE)
    text.write(randomBytes(KEY_BYTES).toString('hex'), 'latin1')
    const file = openSync(temporary, 'wx', 0o600)
    writeSync(file, text)
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
    refuse(`passphrase-file = "${path}" has an empty first line`, 'write the passphrase there')
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
    'run it by hand, as the user of the node; it has 30 s',
  )
}

/**
 * What may open the vault, the likeliest first.
 * @param isNew true where there is no vault yet: then a key file that is not there is made
 * @throws CONFIG_INVALID, whose text holds nothing secret
 */
export function readMasterSecrets(source: MasterSource, isNew: boolean): readonly MasterSecret[] {
  if (source.kind === 'passphrase') return [secretOfPassphrase(source.path)]
  if (source.kind === 'command') return [keyOfCommand(source.command)]
  if (isNew) makeKeyFile(source.path)
  const next = nextKeyPath(source.path)
  return [source.path, ...(existsSync(next) ? [next] : [])].map(keyOfFile)
}

/** Ends a rotation that was cut off, once it is known which of the secrets opened the vault. */
export function settleKeyFile(source: MasterSource, used: number): void {
  if (source.kind !== 'file') return
  const next = nextKeyPath(source.path)
  if (!existsSync(next)) return
  if (used === 1) renameSync(next, source.path)
  else rmSync(next)
  syncFolder(source.path)
}
