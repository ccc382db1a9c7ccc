import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { messageOf } from '../error.ts'

export interface LogFileOptions {
  readonly path: string
  /** A file that would become longer is put aside first; 0 never does. */
  readonly maxBytes: number
  /** Files put aside that are kept, the newest ones; 0 keeps all. */
  readonly maxFiles: number
  /** Told once when lines begin to be lost, and why. */
  readonly onTrouble: (reason: string) => void
  /** Told how many lines were lost, when lines can be written again. */
  readonly onRecovery: (lost: number) => void
}

/** A file that could not be opened or written is left alone this long: a full disk has other work. */
const RETRY_MS = 1_000

const NEWLINE = 0x0a
const END_OF_LINE = Uint8Array.of(NEWLINE)

/** The last byte of a file; undefined where it cannot be read, as that of a device. */
function lastByte(file: number, size: number): number | undefined {
  const byte = new Uint8Array(1)
  return readSync(file, byte, 0, 1, size - 1) === 1 ? byte[0] : undefined
}

/**
 * A file of log lines, which only its owner may read. Each line is with the operating system when `write`
 * returns, so that a crash of the process loses none. A full file is renamed to its name with the time, as
 * in `lockstep-2026-11-20T12-00-00.000Z.log`. No failure stops the caller: what cannot be written is counted.
 */
export class LogFile {
  readonly #options: LogFileOptions
  #file: number | undefined
  #size = 0
  #lost = 0
  #retryAt = 0

  constructor(options: LogFileOptions) {
    this.#options = options
  }

  /** Writes one line, which ends with its newline. */
  write(line: string): void {
    const bytes = Buffer.from(line)
    if (this.#lost > 0 && performance.now() < this.#retryAt) {
      this.#lost++
      return
    }
    try {
      this.#append(this.#fileFor(bytes.length), bytes)
    } catch (thrown) {
      this.close()
      this.#retryAt = performance.now() + RETRY_MS
      if (this.#lost++ === 0) this.#options.onTrouble(messageOf(thrown))
      return
    }
    const lost = this.#lost
    this.#lost = 0
    if (lost > 0) this.#options.onRecovery(lost)
  }

  /** Opens the file anew at the next line: whoever rotates the logs of a machine has renamed it. */
  reopen(): void {
    this.close()
    this.#retryAt = 0
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #append(file: number, bytes: Uint8Array): void {
    const written = writeSync(file, bytes)
    this.#size += written
    // A full disk takes a part.
    if (written < bytes.length) throw new Error('ENOSPC: no space left on device, write')
  }

  /** The file, with room for so many bytes more. */
  #fileFor(bytes: number): number {
    const { maxBytes } = this.#options
    const file = this.#file ?? this.#open()
    if (maxBytes === 0 || this.#size + bytes <= maxBytes) return file
    // Another program may have made it shorter.
    this.#size = fstatSync(file).size
    if (this.#size === 0 || this.#size + bytes <= maxBytes) return file
    this.#putAside()
    return this.#open()
  }

  #open(): number {
    const { path } = this.#options
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const file = openSync(path, 'a+', 0o600)
    this.#file = file
    this.#size = fstatSync(file).size
    // A part of a line, as a full disk or a lost power leaves it: the next one must not be joined to it.
    if (this.#size > 0 && lastByte(file, this.#size) !== NEWLINE) this.#append(file, END_OF_LINE)
    return file
  }

  #putAside(): void {
    const { path } = this.#options
    if (existsSync(path)) renameSync(path, this.#nameNow())
    this.close()
    this.#removeOldest()
  }

  /** A name that no file has: two files may be full within a millisecond. */
  #nameNow(): string {
    const { path } = this.#options
    const end = extname(path)
    const stem = join(dirname(path), basename(path, end))
    for (let at = Date.now(); ; at++) {
      const name = `${stem}-${new Date(at).toISOString().replaceAll(':', '-')}${end}`
      if (!existsSync(name)) return name
    }
  }

  #removeOldest(): void {
    const { path, maxFiles } = this.#options
    if (maxFiles === 0) return
    const aside = filesPutAside(path)
    for (const name of aside.slice(0, Math.max(aside.length - maxFiles, 0))) {
      rmSync(name, { force: true })
    }
  }
}

/** The files that were put aside for a file of log lines, the oldest first. */
export function filesPutAside(path: string): readonly string[] {
  const end = extname(path)
  const start = `${basename(path, end)}-`
  const isTime = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/
  const dir = dirname(path)
  return readdirSync(dir)
    .filter((name) => name.startsWith(start) && name.endsWith(end))
    .filter((name) => isTime.test(name.slice(start.length, name.length - end.length)))
    .sort()
    .map((name) => join(dir, name))
}
