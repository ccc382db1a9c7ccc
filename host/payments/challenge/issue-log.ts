import { closeSync, fstatSync, openSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { unwritable } from '../../base/writable.ts'

/** Seconds whose rows are in one file. */
const PERIOD = 3_600n
const NAME = /^issued-([0-9]+)\.log$/
/** A second, a resource and a check, which rows of earlier releases lack. */
const ROW = /^([0-9]{1,15}) (.+?)(?: =([0-9a-f]{8}))?$/

function rowOf(second: bigint, resource: string): string {
  const text = `${second} ${resource}`
  return `${text} =${crc32(text).toString(16).padStart(8, '0')}`
}

interface IssuedRow {
  readonly second: bigint
  readonly resource: string
}

/** What a row says; undefined if it is torn or damaged: its challenge is not known. */
function readRow(text: string): IssuedRow | undefined {
  const [, digits = '', resource = '', check] = ROW.exec(text) ?? []
  if (digits === '') return undefined
  const second = BigInt(digits)
  if (check !== undefined && rowOf(second, resource) !== text) return undefined
  return { second, resource }
}

/** @throws INVALID_ARGUMENT if the row would not be read as what was written: it would cost its reader the payment */
function checkedRow(second: bigint, resource: string): string {
  const row = rowOf(second, resource)
  const read = /\p{Surrogate}/u.test(resource) ? undefined : readRow(row)
  if (read?.second === second && read.resource === resource) return `${row}\n`
  throw unwritable(
    `a challenge of ${JSON.stringify(resource)} at ${second}`,
    'want a path in one line and a time of at most 15 digits',
  )
}

/** A stretch of seconds in each of which a challenge was issued. */
interface Stretch {
  readonly first: bigint
  last: bigint
}

/** Seconds of a resource, in order. */
class Seconds {
  readonly #stretches: Stretch[] = []

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

/** A file of rows that other processes append to as well, and how far it was read. */
class RowFile {
  readonly period: bigint
  readonly #descriptor: number
  #read = 0
  /** The beginning of a row whose end is not written yet. */
  #rest = ''
  /** The disk has refused a row, and may have taken its beginning: the next one has a line of its own. */
  #isTorn = false

  constructor(folder: string, period: bigint) {
    this.period = period
    this.#descriptor = openSync(join(folder, `issued-${period}.log`), 'a+', 0o600)
  }

  /** One write with O_APPEND: rows of several processes do not mix. */
  append(row: string): void {
    const text = this.#isTorn || this.#rest !== '' ? `\n${row}` : row
    this.#isTorn = true
    writeSync(this.#descriptor, text)
    this.#isTorn = false
  }

  /** Rows that have come since the last call. */
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
 * The seconds in which challenges were issued, in files of an hour that several processes share: `issued-<hour>.log`,
 * a row `<second> <resource> =<CRC-32>` for the first challenge of a resource in a second. A row is with the operating system
 * before its challenge is out, so that it outlives the process; a loss of power may take the last ones.
 */
export class IssueLog {
  readonly #folder: string
  /** Seconds for which rows are of use. */
  readonly #kept: bigint
  readonly #seconds = new Map<string, Seconds>()
  readonly #files = new Map<bigint, RowFile>()

  /** @param kept seconds for which a row is of use */
  constructor(folder: string, kept: bigint) {
    this.#folder = folder
    this.#kept = kept
    for (const name of readdirSync(folder)) {
      const period = NAME.exec(name)?.[1]
      if (period !== undefined) this.#fileOf(BigInt(period))
    }
    this.#readNew()
  }

  /** @throws INVALID_ARGUMENT; what the disk says: a payment that is asked for now would not be known */
  add(resource: string, second: bigint): void {
    const seconds = this.#secondsOf(resource)
    if (seconds.within(second, second)) return
    const row = checkedRow(second, resource)
    const period = second / PERIOD
    if (!this.#files.has(period)) this.#forget(second)
    this.#fileOf(period).append(row)
    seconds.add(second)
  }

  /** Whether a challenge of the resource was issued from one second to the other, both included. */
  within(resource: string, from: bigint, to: bigint): boolean {
    if (this.#secondsOf(resource).within(from, to)) return true
    this.#openPeriods(from, to)
    this.#readNew()
    return this.#secondsOf(resource).within(from, to)
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

  /** Another process may have begun the files of these seconds. */
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
