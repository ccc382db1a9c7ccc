import { createHash } from 'node:crypto'
import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { LockstepError } from '../../base/error.ts'
import { storeError } from '../../storage/table/store-error.ts'
import { CLAIM_KEY_BYTES, encodeKey } from './claim-codec.ts'
import type { ClaimKey } from './claims.ts'

/** Bytes from which on it is begun again, as soon as the database has all of it. */
const LONG = 2 ** 16

/** What a file of checked rows begins with; those of earlier releases are keys alone. */
const HEAD: Uint8Array = Buffer.from('deliver2')

/** An empty log before it has its name; a process that was killed may leave it. */
export function draftOf(path: string): string {
  return `${path}.new`
}

/** Behind the last row, which writes over it: a file without it was cut. */
const END: Uint8Array = Buffer.from('the end.')

const CHECK_BYTES = 8
const ROW_BYTES = CLAIM_KEY_BYTES + CHECK_BYTES

/** Of a key and where it stands. */
function checkOf(at: number, key: Uint8Array): Uint8Array {
  return createHash('sha256').update(`${at} `).update(key).digest().subarray(0, CHECK_BYTES)
}

/**
 * The claims that a process has delivered, of which the database may not know yet: a few microseconds after the last
 * byte of a response the operating system has its key, which outlives the process. Only a machine that loses its power
 * can lose it, until the database has it too.
 */
export class DeliveryLog {
  readonly #path: string
  #file: number
  /** Where the next row begins. */
  #length = HEAD.length
  /** A disk without room has taken a part of something: nothing counts behind it. */
  #isTorn = false

  /** @throws STORE_DENIED, STORE_FULL */
  constructor(path: string) {
    this.#path = path
    this.#file = this.#create()
  }

  add(key: ClaimKey): void {
    const bytes = encodeKey(key)
    const check = checkOf(this.#length, bytes)
    if (this.#write(this.#length, Buffer.concat([bytes, check, END]))) this.#length += ROW_BYTES
  }

  /** The database has all that was added: what is long is begun again. */
  begin(): void {
    if (this.#length < LONG && !this.#isTorn) return
    let file: number
    try {
      file = this.#create()
    } catch {
      // A disk without room: it is tried again later.
      return
    }
    closeSync(this.#file)
    this.#file = file
    this.#length = HEAD.length
    this.#isTorn = false
  }

  /** The database has all that was added, and no more will be. */
  remove(): void {
    closeSync(this.#file)
    rmSync(this.#path, { force: true })
  }

  /**
   * Opens an empty log, which takes the name of the one before in one step: a process that is killed meanwhile leaves a
   * whole one.
   * @throws STORE_DENIED, STORE_FULL
   */
  #create(): number {
    const draft = draftOf(this.#path)
    const bytes = Buffer.concat([HEAD, END])
    let file: number | undefined
    try {
      file = openSync(draft, 'w', 0o600)
      if (writeSync(file, bytes, 0, bytes.length, 0) === bytes.length) {
        renameSync(draft, this.#path)
        return file
      }
    } catch (thrown) {
      if (file !== undefined) closeSync(file)
      rmSync(draft, { force: true })
      throw storeError(this.#path, thrown)
    }
    closeSync(file)
    rmSync(draft, { force: true })
    throw new LockstepError(
      'STORE_FULL',
      `disk full: ${this.#path} has no room for ${bytes.length} bytes`,
    )
  }

  /** True if all of it is with the operating system. A full disk may take a part, which is taken back. */
  #write(at: number, bytes: Uint8Array): boolean {
    if (this.#isTorn) return false
    try {
      if (writeSync(this.#file, bytes, 0, bytes.length, at) === bytes.length) return true
    } catch {
      // The database is told as well, and says so.
    }
    this.#isTorn = !this.#takeBack(at)
    return false
  }

  /** Ends the file before a row that was not written whole. */
  #takeBack(at: number): boolean {
    try {
      ftruncateSync(this.#file, at)
      return writeSync(this.#file, END, 0, END.length, at) === END.length
    } catch {
      return false
    }
  }
}

function damaged(path: string, problem: string): LockstepError {
  return new LockstepError('STORE_CORRUPTED', `${path} is damaged: ${problem}`, { data: { path } })
}

function* rowsOf(path: string, bytes: Uint8Array): Generator<Uint8Array, void> {
  const end = bytes.length - END.length
  if (end < HEAD.length || !Buffer.from(bytes.subarray(end)).equals(END)) {
    throw damaged(path, 'its end is missing')
  }
  for (let at = HEAD.length; at < end; at += ROW_BYTES) {
    const key = bytes.subarray(at, at + CLAIM_KEY_BYTES)
    const check = bytes.subarray(at + CLAIM_KEY_BYTES, at + ROW_BYTES)
    if (at + ROW_BYTES > end || !Buffer.from(checkOf(at, key)).equals(check)) {
      throw damaged(path, `row ${(at - HEAD.length) / ROW_BYTES} does not match its checksum`)
    }
    yield key
  }
}

/** The rows of earlier releases. */
function* formerRows(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at + CLAIM_KEY_BYTES <= bytes.length; at += CLAIM_KEY_BYTES) {
    yield bytes.subarray(at, at + CLAIM_KEY_BYTES)
  }
}

/**
 * Keys that a process has delivered; none if it has left no log.
 * @param isFormer whether an earlier release has written it
 * @throws STORE_CORRUPTED
 */
export function readDeliveries(path: string, isFormer = false): readonly Uint8Array[] {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw storeError(path, thrown)
  }
  return [...(isFormer ? formerRows(bytes) : rowsOf(path, bytes))]
}
