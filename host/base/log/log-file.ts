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
  /** A file that would exceed this is renamed first; 0 never renames it. */
  readonly maxBytes: number
  /** Renamed files to keep, the latest ones; 0 keeps all. */
  readonly maxFiles: number
  /** Called once with the reason when lines begin to be lost. */
  readonly onTrouble: (reason: string) => void
  /** Called with the number of lost lines when lines can be written again. */
  readonly onRecovery: (lost: number) => void
}

/** Pause before a file that could not be opened or written is tried again. */
const RETRY_MS = 1_000

const NEWLINE = 0x0a
const END_OF_LINE = Uint8Array.of(NEWLINE)

/** Returns the last byte of a file; undefined if it cannot be read, as with a device. */
function lastByte(file: number, size: number): number | undefined {
  const byte = new Uint8Array(1)
  return readSync(file, byte, 0, 1, size - 1) === 1 ? byte[0] : undefined
}

/**
 * A file of log lines, readable only by its owner. `write` returns after the operating system has the line, so a
 * crash of the process loses none. A full file is renamed to its name with the time, as in
 * `lockstep-2026-11-20T12-00-00.000Z.log`. Failures never stop the caller: lost lines are counted.
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

  /** Writes one line, newline included. */
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

  /** Reopens the file at the next line, after a log rotation has renamed it. */
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
    // A full disk accepts a part.
    if (written < bytes.length) throw new Error('ENOSPC: no space left on device, write')
  }

  /** Returns the file descriptor, after making room for that many bytes. */
  #fileFor(bytes: number): number {
    const { maxBytes } = this.#options
    const file = this.#file ?? this.#open()
    if (maxBytes === 0 || this.#size + bytes <= maxBytes) return file
    // Another program may have truncated it.
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
    // A full disk or a power loss leaves a partial line: the next line must not be joined to it.
    if (this.#size > 0 && lastByte(file, this.#size) !== NEWLINE) this.#append(file, END_OF_LINE)
    return file
  }

  #putAside(): void {
    const { path } = this.#options
    if (existsSync(path)) renameSync(path, this.#nameNow())
    this.close()
    this.#removeOldest()
  }

  /** Returns an unused name: two files may fill up within a millisecond. */
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

/** Returns the renamed files of a log file, oldest first. */
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
