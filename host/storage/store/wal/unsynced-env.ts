import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { compareBytes } from '../../../base/bytes.ts'
import { LmdbEnv, type LmdbRow, type LmdbTable, type RowRange } from '../lmdb/lmdb-env.ts'
import { UnsyncedLog } from './unsynced-log.ts'

/** Beside the environment's own files. */
const LOG = 'late.log'
/** Bytes of the log at which the pending rows are written to the environment. */
const MOST_BYTES = 8 * 1024 * 1024
/** Written as the value's length if the row is removed. */
const REMOVED = 0xffff_ffff
/** Index of the table 1, length of the key 2, of the value 4. */
const HEADER = 7

const { latin1Slice } = Buffer.prototype

/** The last write of a row; its value is undefined if it was removed. */
interface Write {
  readonly table: string
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
}

/** A table of a `UnsyncedEnv`. */
export class UnsyncedTable {
  readonly #name: string
  readonly #rows: LmdbTable
  readonly #onWrite: (write: Write) => void
  /** Rows that the environment does not have yet. */
  readonly waiting = new Map<string, Write>()

  constructor(name: string, rows: LmdbTable, onWrite: (write: Write) => void) {
    this.#name = name
    this.#rows = rows
    this.#onWrite = onWrite
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const waiting = this.waiting.get(latin1Slice.call(key, 0, key.length))
    return waiting === undefined ? this.#rows.get(key) : waiting.value
  }

  /** Yields rows from `start` up to `end`; reversed, from `start` down to `end`. The second bound is excluded. */
  *range({
    start,
    end,
    reverse = false,
    limit = Number.POSITIVE_INFINITY,
  }: RowRange): Generator<LmdbRow, void> {
    const compare = (a: Uint8Array, b: Uint8Array): number =>
      reverse ? compareBytes(b, a) : compareBytes(a, b)
    const waiting = [...this.waiting.values()]
      .filter(({ key }) => start === undefined || compare(key, start) >= 0)
      .filter(({ key }) => end === undefined || compare(key, end) < 0)
      .sort((a, b) => compare(a.key, b.key))
    const bounds = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) }
    let left = limit
    for (const row of merge(this.#rows.range({ ...bounds, reverse }), waiting, compare)) {
      if (left-- <= 0) return
      yield row
    }
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.#write({ table: this.#name, key: key.slice(), value: value.slice() })
  }

  remove(key: Uint8Array): void {
    this.#write({ table: this.#name, key: key.slice(), value: undefined })
  }

  #write(write: Write): void {
    this.waiting.set(latin1Slice.call(write.key, 0, write.key.length), write)
    this.#onWrite(write)
  }
}

/** Merges the pending rows into the stored ones. */
function* merge(
  stored: Iterable<LmdbRow>,
  waiting: readonly Write[],
  compare: (a: Uint8Array, b: Uint8Array) => number,
): Generator<LmdbRow, void> {
  let at = 0
  for (const row of stored) {
    let isReplaced = false
    for (let next = waiting[at]; next !== undefined; next = waiting[++at]) {
      const order = compare(next.key, row.key)
      if (order > 0) break
      isReplaced ||= order === 0
      if (next.value !== undefined) yield { key: next.key, value: next.value }
    }
    if (!isReplaced) yield row
  }
  for (const { key, value } of waiting.slice(at)) if (value !== undefined) yield { key, value }
}

/**
 * An LMDB environment whose latest rows are in memory and in an unsynced log beside it. A write that has returned
 * survives the process, not the machine. The next opening takes up the rows that a process left in the log.
 */
export class UnsyncedEnv {
  readonly dir: string
  readonly #env: LmdbEnv
  readonly #log: UnsyncedLog
  readonly #names: readonly string[]
  readonly #tables: ReadonlyMap<string, UnsyncedTable>
  #writes: Write[] = []

  /** @throws STORE_CORRUPTED, STORE_FULL */
  constructor(dir: string, names: readonly string[]) {
    this.dir = dir
    this.#env = new LmdbEnv(dir, { tables: names })
    this.#names = names
    takeUnsyncedRows(this.#env, names)
    this.#log = new UnsyncedLog(join(dir, LOG))
    this.#tables = new Map(
      names.map((name) => {
        const onWrite = (write: Write): void => void this.#writes.push(write)
        return [name, new UnsyncedTable(name, this.#env.table(name), onWrite)]
      }),
    )
  }

  table(name: string): UnsyncedTable {
    const table = this.#tables.get(name)
    if (table === undefined) throw new RangeError(`the environment has no table ${name}`)
    return table
  }

  /** Runs `work` as one transaction. If `whole` is false, it is committed together with the next one. */
  write(work: () => void, whole = true): void {
    work()
    if (!whole || this.#writes.length === 0) return
    this.#log.append(encodeWrites(this.#names, this.#writes))
    this.#writes = []
    if (this.#log.bytes >= MOST_BYTES) this.#flush()
  }

  async close(): Promise<void> {
    this.#flush()
    this.#log.close()
    rmSync(this.#log.path)
    await this.#env.close()
  }

  /** Writes the pending rows to disk, the environment first: until the log is empty it says the same. */
  #flush(): void {
    const tables = [...this.#tables.values()]
    putAll(
      this.#env,
      tables.flatMap(({ waiting }) => [...waiting.values()]),
    )
    for (const { waiting } of tables) waiting.clear()
    this.#writes = []
    this.#log.clear()
  }
}

/** Writes the rows that a `UnsyncedEnv` left in its log to the environment, whose directory is `env.dir`. */
export function takeUnsyncedRows(env: LmdbEnv, names: readonly string[]): void {
  const path = join(env.dir, LOG)
  if (!existsSync(path)) return
  const log = new UnsyncedLog(path)
  putAll(
    env,
    log.records.flatMap((record) => decodeWrites(names, record)),
  )
  log.close()
  rmSync(path)
}

function putAll(env: LmdbEnv, writes: readonly Write[]): void {
  if (writes.length === 0) return
  const tables = new Map<string, LmdbTable>()
  env.write(() => {
    for (const { table: name, key, value } of writes) {
      const table = tables.get(name) ?? env.table(name)
      tables.set(name, table)
      if (value === undefined) table.remove(key)
      else table.put(key, value)
    }
  })
}

function encodeWrites(names: readonly string[], writes: readonly Write[]): Uint8Array {
  const parts: Uint8Array[] = []
  for (const { table, key, value } of writes) {
    const header = Buffer.alloc(HEADER)
    header.writeUInt8(names.indexOf(table))
    header.writeUInt16BE(key.length, 1)
    header.writeUInt32BE(value?.length ?? REMOVED, 3)
    parts.push(header, key)
    if (value !== undefined) parts.push(value)
  }
  return Buffer.concat(parts)
}

function decodeWrites(names: readonly string[], record: Uint8Array): Write[] {
  const view = new DataView(record.buffer, record.byteOffset, record.length)
  const writes: Write[] = []
  for (let at = 0; at < record.length; ) {
    const table = names[view.getUint8(at)] as string
    const start = at + HEADER
    const end = start + view.getUint16(at + 1)
    const length = view.getUint32(at + 3)
    const key = record.slice(start, end)
    at = length === REMOVED ? end : end + length
    writes.push({ table, key, value: length === REMOVED ? undefined : record.slice(end, at) })
  }
  return writes
}
