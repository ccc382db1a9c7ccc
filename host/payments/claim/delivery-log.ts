import { closeSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { bytesKey } from '../../base/bytes.ts'
import { CLAIM_KEY_BYTES, encodeKey } from './claim-codec.ts'
import type { ClaimKey } from './claims.ts'

/** Bytes from which on it is begun again, as soon as the database has all of it. */
const LONG = 2 ** 16

/**
 * The claims that a process has delivered, of which the database may not know yet: a few microseconds after the last
 * byte of a response the operating system has its key, which outlives the process. Only a machine that loses its power
 * can lose it, until the database has it too.
 */
export class DeliveryLog {
  readonly #path: string
  readonly #file: number
  #length = 0

  constructor(path: string) {
    this.#path = path
    this.#file = openSync(path, 'a', 0o600)
  }

  add(key: ClaimKey): void {
    try {
      this.#length += writeSync(this.#file, encodeKey(key))
    } catch {
      // A full disk: the database is told as well, and says so.
    }
  }

  /** The database has all that was added: what is long is begun again. */
  begin(): void {
    if (this.#length < LONG) return
    ftruncateSync(this.#file)
    this.#length = 0
  }

  /** The database has all that was added, and no more will be. */
  remove(): void {
    closeSync(this.#file)
    rmSync(this.#path, { force: true })
  }
}

/** What a process has delivered, by the names of the keys; nothing where it has left no log. */
export function readDeliveries(path: string): ReadonlyMap<string, Uint8Array> {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    throw thrown
  }
  const keys = new Map<string, Uint8Array>()
  for (let at = 0; at + CLAIM_KEY_BYTES <= bytes.length; at += CLAIM_KEY_BYTES) {
    const key = bytes.subarray(at, at + CLAIM_KEY_BYTES)
    keys.set(bytesKey(key), key)
  }
  return keys
}
