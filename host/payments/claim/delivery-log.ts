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

/** Size in bytes from which the log is restarted after the database has caught up. */
const LONG = 2 ** 16

/** Magic of a file of checksummed rows; earlier releases wrote bare keys. */
const HEAD: Uint8Array = Buffer.from('deliver2')

/** Returns the path of the empty log before it is renamed; a killed process may leave it behind. */
export function draftOf(path: string): string {
  return `${path}.new`
}

/** End marker, overwritten by the next row: a file without it is truncated. */
const END: Uint8Array = Buffer.from('the end.')

const CHECK_BYTES = 8
const ROW_BYTES = CLAIM_KEY_BYTES + CHECK_BYTES

/** Checksum of a key and its offset. */
function checkOf(at: number, key: Uint8Array): Uint8Array {
  return createHash('sha256').update(`${at} `).update(key).digest().subarray(0, CHECK_BYTES)
}

/**
 * Log of delivered claims that the database may not have yet. Each key is handed to the operating system a few
 * microseconds after the last byte of its response, so it survives a crash of the process. Only a power loss before
 * the database commit can lose it.
 */
export class DeliveryLog {
  readonly #path: string
  #file: number
  /** Offset of the next row. */
  #length = HEAD.length
  /** True if a full disk may have left a partial row: nothing after it is valid. */
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

  /** Restarts a long or torn log, after the database has all of its entries. */
  begin(): void {
    if (this.#length < LONG && !this.#isTorn) return
    let file: number
    try {
      file = this.#create()
    } catch {
      // The disk is full: retried later.
      return
    }
    closeSync(this.#file)
    this.#file = file
    this.#length = HEAD.length
    this.#isTorn = false
  }

  /** Closes and deletes the log, after the database has all of its entries. */
  remove(): void {
    closeSync(this.#file)
    rmSync(this.#path, { force: true })
  }

  /**
   * Creates an empty log and renames it over the previous one, so that a killed process leaves a complete file.
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

  /** Returns whether all bytes were handed to the operating system; a partial write is truncated again. */
  #write(at: number, bytes: Uint8Array): boolean {
    if (this.#isTorn) return false
    try {
      if (writeSync(this.#file, bytes, 0, bytes.length, at) === bytes.length) return true
    } catch {
      // The database write reports the error.
    }
    this.#isTorn = !this.#takeBack(at)
    return false
  }

  /** Truncates the file before an incomplete row. */
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

/** Yields the rows of earlier releases. */
function* formerRows(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at + CLAIM_KEY_BYTES <= bytes.length; at += CLAIM_KEY_BYTES) {
    yield bytes.subarray(at, at + CLAIM_KEY_BYTES)
  }
}

/**
 * Returns the claim keys that a process delivered; empty if it left no log.
 * @param isFormer true for a log of an earlier release
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
