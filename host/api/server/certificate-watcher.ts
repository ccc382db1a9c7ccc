import { stat } from 'node:fs/promises'
import { LockstepError, messageOf } from '../../base/error.ts'
import { startInterval, stopTimer, type Timer } from '../../base/timer.ts'
import { type KeyPair, type KeyPairFiles, readKeyPair } from './key-pair.ts'

/** The outcome of a change to the certificate files. */
export type KeyPairChange =
  | { readonly kind: 'renewed'; readonly names: string; readonly expires: Date }
  /** What the files have now cannot be served, so what they had before still is. */
  | { readonly kind: 'kept'; readonly error: LockstepError }

/** A server certificate that is reloaded when its files change. */
export interface TlsOptions extends KeyPairFiles {
  /** Called after each change of the files. */
  readonly onChange?: (change: KeyPairChange) => void
  /** Polling interval in milliseconds. */
  readonly checkMs?: number
}

const CHECK_MS = 1000

/** Returns a string that changes with each write, rename or change of permissions of the files. */
async function fingerprint({ certificate, key }: KeyPairFiles): Promise<string> {
  const states = [certificate, key].map(async (path) => {
    // `stat` follows links, because a directory of secrets is often replaced by renaming another one.
    const file = await stat(path, { bigint: true }).catch(() => undefined)
    return file === undefined
      ? 'absent'
      : `${file.ino} ${file.size} ${file.mtimeNs} ${file.ctimeNs}`
  })
  return (await Promise.all(states)).join(', ')
}

/** Watches certificate files and reports their content once it is unchanged for two polls. */
export class CertificateWatcher {
  readonly pair: KeyPair
  readonly #options: TlsOptions
  /** Fingerprints of the files at the last read and at the previous poll. */
  #read: string
  #seen: string
  #timer: Timer | undefined
  #looking = false

  /** @throws CERTIFICATE_INVALID, as readKeyPair does */
  static async open(options: TlsOptions): Promise<CertificateWatcher> {
    // Taken before the files are read, so that the next poll detects a write during the read.
    const state = await fingerprint(options)
    return new CertificateWatcher(options, await readKeyPair(options), state)
  }

  private constructor(options: TlsOptions, pair: KeyPair, state: string) {
    this.#options = options
    this.pair = pair
    this.#read = state
    this.#seen = state
  }

  /** Starts polling. If `use` throws, the previous certificate stays in use. */
  start(use: (pair: KeyPair) => void | Promise<void>): void {
    this.#timer = startInterval(() => void this.#look(use), this.#options.checkMs ?? CHECK_MS)
    this.#timer.unref()
  }

  close(): void {
    stopTimer(this.#timer)
    this.#timer = undefined
  }

  async #look(use: (pair: KeyPair) => void | Promise<void>): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    try {
      const state = await fingerprint(this.#options)
      const isQuiet = state === this.#seen
      this.#seen = state
      if (!isQuiet || state === this.#read) return
      this.#read = state
      const change = await this.#change(use)
      if (change !== undefined) this.#options.onChange?.(change)
    } finally {
      this.#looking = false
    }
  }

  async #change(use: (pair: KeyPair) => void | Promise<void>): Promise<KeyPairChange | undefined> {
    try {
      const pair = await readKeyPair(this.#options)
      if (this.#timer === undefined) return undefined
      await use(pair)
      return { kind: 'renewed', names: pair.names, expires: pair.expires }
    } catch (thrown) {
      if (this.#timer === undefined) return undefined
      const error =
        thrown instanceof LockstepError
          ? thrown
          : new LockstepError('CERTIFICATE_INVALID', messageOf(thrown), { cause: thrown })
      return { kind: 'kept', error }
    }
  }
}
