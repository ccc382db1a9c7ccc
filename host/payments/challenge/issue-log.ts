import { closeSync, fstatSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { unwritable } from '../../base/writable.ts'
import { writeFully } from '../../storage/table/file-bytes.ts'

/** Seconds covered by one file. */
const PERIOD = 3_600n
const NAME = /^issued-([0-9]+)\.log$/
/** Second, resource and checksum; earlier releases wrote no checksum. */
const ROW = /^([0-9]{1,15}) (.+?)(?: =([0-9a-f]{8}))?$/

function rowOf(second: bigint, resource: string): string {
  const text = `${second} ${resource}`
  return `${text} =${crc32(text).toString(16).padStart(8, '0')}`
}

interface IssuedRow {
  readonly second: bigint
  readonly resource: string
}

/** Parses a row. Returns undefined if it is torn or damaged; its challenge is then unknown. */
function readRow(text: string): IssuedRow | undefined {
  const [, digits = '', resource = '', check] = ROW.exec(text) ?? []
  if (digits === '') return undefined
  const second = BigInt(digits)
  if (check !== undefined && rowOf(second, resource) !== text) return undefined
  return { second, resource }
}

/**
 * Returns the row to write.
 * @throws INVALID_ARGUMENT if it would not parse back to the same values: its payment would be refused
 */
function checkedRow(second: bigint, resource: string): string {
  const row = rowOf(second, resource)
  const read = /\p{Surrogate}/u.test(resource) ? undefined : readRow(row)
  if (read?.second === second && read.resource === resource) return `${row}\n`
  throw unwritable(
    `a challenge of ${JSON.stringify(resource)} at ${second}`,
    'want a path in one line and a time of at most 15 digits',
  )
}

/** A range of consecutive seconds, each with a challenge. */
interface Stretch {
  readonly first: bigint
  last: bigint
}

/** The challenged seconds of one resource, in order. */
class Seconds {
  readonly #stretches: Stretch[] = []

  get stretches(): readonly Readonly<Stretch>[] {
    return this.#stretches
  }

  add(second: bigint): void {
    if (this.within(second, second)) return
    const at = this.#stretches.findLastIndex(({ first }) => first < second) + 1
    const before = this.#stretches[at - 1]
    if (before !== undefined && before.last + 1n === second) before.last = second
    else this.#stretches.splice(at, 0, { first: second, last: second })
  }

  within(from: bigint, to: bigint): boolean {
    const nearest = this.#stretches.findLast(({ first }) => first <= to)
    return nearest !== undefined && nearest.last >= from
  }

  forgetBefore(second: bigint): void {
    const kept = this.#stretches.findIndex(({ last }) => last >= second)
    this.#stretches.splice(0, kept < 0 ? this.#stretches.length : kept)
  }
}

/** An append-only file of rows, shared with other processes, and the read position in it. */
class RowFile {
  readonly period: bigint
  readonly #descriptor: number
  #read = 0
  /** An incomplete last row. */
  #rest = ''
  /** True if a write failed and may have left part of a row: the next row starts on a new line. */
  #isTorn = false

  constructor(folder: string, period: bigint) {
    this.period = period
    this.#descriptor = openSync(join(folder, `issued-${period}.log`), 'a+', 0o600)
  }

  /**
   * Appends a row in one O_APPEND write, so that rows of several processes do not interleave. A disk that takes a part
   * refuses the rest.
   */
  append(row: string): void {
    const bytes = Buffer.from(this.#isTorn || this.#rest !== '' ? `\n${row}` : row)
    this.#isTorn = true
    writeFully(this.#descriptor, bytes)
    this.#isTorn = false
  }

  /** Returns rows appended since the last call. */
  newRows(): string[] {
    const size = fstatSync(this.#descriptor).size
    if (size <= this.#read) return []
    const bytes = Buffer.alloc(size - this.#read)
    const count = readSync(this.#descriptor, bytes, 0, bytes.length, this.#read)
    this.#read += count
    const rows = (this.#rest + bytes.toString('utf8', 0, count)).split('\n')
    this.#rest = rows.pop() as string
    return rows
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

/**
 * Records the seconds in which challenges were issued, in hourly files shared by several processes.
 * `issued-<hour>.log` has a row `<second> <resource> =<CRC-32>` for the first challenge of a resource in each second.
 * The row is handed to the operating system before the challenge is sent, so it survives a crash of the process; a
 * power loss may lose the latest.
 */
export class IssueLog {
  readonly #folder: string
  /** Retention of rows, seconds. */
  readonly #kept: bigint
  readonly #seconds = new Map<string, Seconds>()
  readonly #files = new Map<bigint, RowFile>()

  /** @param kept retention of rows, seconds */
  constructor(folder: string, kept: bigint) {
    this.#folder = folder
    this.#kept = kept
    for (const name of readdirSync(folder)) {
      const period = NAME.exec(name)?.[1]
      if (period !== undefined) this.#fileOf(BigInt(period))
    }
    this.#readNew()
  }

  /**
   * Records a challenge. @throws INVALID_ARGUMENT, or the disk's error: a payment for the challenge would be refused
   */
  add(resource: string, second: bigint): void {
    const seconds = this.#secondsOf(resource)
    if (seconds.within(second, second)) return
    const row = checkedRow(second, resource)
    const period = second / PERIOD
    if (!this.#files.has(period)) this.#forget(second)
    this.#fileOf(period).append(row)
    seconds.add(second)
  }

  /** Returns whether a challenge of the resource was issued between the two seconds, inclusive. */
  within(resource: string, from: bigint, to: bigint): boolean {
    if (this.#secondsOf(resource).within(from, to)) return true
    this.#openPeriods(from, to)
    this.#readNew()
    return this.#secondsOf(resource).within(from, to)
  }

  /** Yields each recorded second with its resource, as far as they are in the files. */
  *seconds(): Generator<readonly [resource: string, second: bigint], void> {
    this.#readNew()
    for (const [resource, seconds] of this.#seconds) {
      for (const { first, last } of seconds.stretches) {
        for (let second = first; second <= last; second++) yield [resource, second]
      }
    }
  }

  close(): void {
    for (const file of this.#files.values()) file.close()
    this.#files.clear()
  }

  #secondsOf(resource: string): Seconds {
    const present = this.#seconds.get(resource)
    if (present !== undefined) return present
    const seconds = new Seconds()
    this.#seconds.set(resource, seconds)
    return seconds
  }

  #fileOf(period: bigint): RowFile {
    const present = this.#files.get(period)
    if (present !== undefined) return present
    const file = new RowFile(this.#folder, period)
    this.#files.set(period, file)
    return file
  }

  /** Opens files of these seconds that other processes have created. */
  #openPeriods(from: bigint, to: bigint): void {
    const present = new Set(readdirSync(this.#folder))
    for (let period = from / PERIOD; period <= to / PERIOD; period++) {
      if (present.has(`issued-${period}.log`)) this.#fileOf(period)
    }
  }

  #readNew(): void {
    for (const file of this.#files.values()) {
      for (const row of file.newRows()) {
        const read = readRow(row)
        if (read !== undefined) this.#secondsOf(read.resource).add(read.second)
      }
    }
  }

  #forget(now: bigint): void {
    const oldest = now - this.#kept
    for (const seconds of this.#seconds.values()) seconds.forgetBefore(oldest)
    for (const [period, file] of this.#files) {
      if ((period + 1n) * PERIOD > oldest) continue
      file.close()
      this.#files.delete(period)
      rmSync(join(this.#folder, `issued-${period}.log`), { force: true })
    }
  }
}
