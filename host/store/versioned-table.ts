import { type LmdbEnv, type LmdbTable, MAX_KEY } from './lmdb-env.ts'
import type { FlushTable } from './member.ts'

/** Bytes of the version behind each key: the height, inverted and big-endian, so that newest is first. */
const VERSION = 8
/** The longest key of a versioned table. */
export const MAX_VERSIONED_KEY = MAX_KEY - VERSION
/** Rows written or removed in one transaction: about 10 ms, so that nothing waits long for the thread. */
const SLICE = 4096

/** What one height wrote under a key. An empty value is a tombstone: the key was deleted. */
export interface Version {
  readonly height: number
  readonly value: Uint8Array
}

/** A version not flushed yet: where its value lies in its block's packed rows, and the one before. */
interface PendingVersion {
  readonly height: number
  readonly source: Uint8Array
  readonly offset: number
  readonly length: number
  readonly previous: PendingVersion | undefined
}

const FIRST_KEY = Uint8Array.of(0)

const { latin1Slice } = Buffer.prototype

/** A key of a Map: one character a byte, in the same order as the bytes. */
function mapKey(bytes: Uint8Array, start: number, end: number): string {
  return latin1Slice.call(bytes, start, end)
}

function writeVersion(key: Buffer, offset: number, height: number): void {
  key.writeUInt32BE(~Math.floor(height / 2 ** 32) >>> 0, offset)
  key.writeUInt32BE(~height >>> 0, offset + 4)
}

function readVersion(key: Uint8Array): number {
  const view = new DataView(key.buffer, key.byteOffset + key.length - VERSION, VERSION)
  return (~view.getUint32(0) >>> 0) * 2 ** 32 + (~view.getUint32(4) >>> 0)
}

/** Whether `row` is a version of the `length` bytes of key in `key`. */
function isVersionOf(row: Uint8Array, key: Uint8Array, length: number): boolean {
  if (row.length !== length + VERSION) return false
  for (let i = 0; i < length; i++) if (row[i] !== key[i]) return false
  return true
}

function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/**
 * Every version of the keys of one kind: newest blocks in memory, the rest as rows of key and inverted
 * height. No key may be the beginning of another (they are of one length, or encoded by
 * `ordered-key.ts`).
 */
export class VersionedTable implements FlushTable {
  readonly #env: LmdbEnv
  readonly #rows: LmdbTable
  readonly #pending = new Map<string, PendingVersion>()
  readonly #key = Buffer.alloc(MAX_KEY)
  /** Where the next slice of `prune` goes on. */
  #pruned: Uint8Array | undefined

  constructor(env: LmdbEnv, name: string) {
    this.#env = env
    this.#rows = env.table(name)
  }

  get pendingKeys(): number {
    return this.#pending.size
  }

  /** Whether no key was ever written. */
  isEmpty(): boolean {
    return this.#pending.size === 0 && this.#rows.seek(FIRST_KEY) === undefined
  }

  /**
   * Adds a version above all others of its key. Key and value are parts of `source`, which must not
   * change any more.
   */
  apply(
    height: number,
    source: Uint8Array,
    keyStart: number,
    keyEnd: number,
    valueEnd: number,
  ): void {
    this.#put(height, mapKey(source, keyStart, keyEnd), source, keyEnd, valueEnd)
  }

  /** The same where key and value lie apart. */
  applyRow(height: number, key: Uint8Array, value: Uint8Array): void {
    this.#put(height, mapKey(key, 0, key.length), value, 0, value.length)
  }

  #put(height: number, key: string, source: Uint8Array, start: number, end: number): void {
    const previous = this.#pending.get(key)
    if (previous !== undefined && previous.height >= height) return
    this.#pending.set(key, { height, source, offset: start, length: end - start, previous })
  }

  /** The newest version at or below `height`. */
  find(key: Uint8Array, height: number): Version | undefined {
    return this.#findPending(mapKey(key, 0, key.length), height) ?? this.#findStored(key, height)
  }

  #findPending(key: string, height: number): Version | undefined {
    let version = this.#pending.get(key)
    while (version !== undefined && version.height > height) version = version.previous
    if (version === undefined) return undefined
    const { source, offset, length } = version
    return { height: version.height, value: source.subarray(offset, offset + length) }
  }

  #findStored(key: Uint8Array, height: number): Version | undefined {
    this.#key.set(key)
    writeVersion(this.#key, key.length, height)
    const row = this.#rows.seek(this.#key.subarray(0, key.length + VERSION))
    if (row === undefined || !isVersionOf(row.key, key, key.length)) return undefined
    return { height: readVersion(row.key), value: row.value }
  }

  /** Keys from `start` up to `end` that have a version at or below `height`, in order. */
  *keys(start: Uint8Array, end: Uint8Array, reverse: boolean): Generator<Uint8Array, void> {
    const from = mapKey(start, 0, start.length)
    const to = mapKey(end, 0, end.length)
    const pending: string[] = []
    for (const key of this.#pending.keys()) if (key >= from && key < to) pending.push(key)
    pending.sort()
    if (reverse) pending.reverse()
    const before = (a: string, b: string): boolean => (reverse ? a > b : a < b)
    const bounds = reverse ? { start: end, end: start, reverse } : { start, end }
    let next = 0
    let last: string | undefined
    for (const row of this.#rows.range(bounds)) {
      const key = mapKey(row.key, 0, row.key.length - VERSION)
      if (key === last || key < from || key >= to) continue
      last = key
      for (; next < pending.length && before(pending[next] as string, key); next++) {
        yield Buffer.from(pending[next] as string, 'latin1')
      }
      if (pending[next] === key) next++
      yield row.key.subarray(0, row.key.length - VERSION)
    }
    for (; next < pending.length; next++) yield Buffer.from(pending[next] as string, 'latin1')
  }

  /** Writes the pending versions up to `height`, sorted, in several transactions; they stay pending. */
  async flush(height: number): Promise<void> {
    const keys = [...this.#pending.keys()].sort()
    for (let start = 0; start < keys.length; start += SLICE) {
      this.#env.write(() => {
        for (const key of keys.slice(start, start + SLICE)) this.#store(key, height)
      })
      await pause()
    }
  }

  #store(key: string, height: number): void {
    const length = this.#key.write(key, 0, 'latin1')
    const row = this.#key.subarray(0, length + VERSION)
    for (let version = this.#pending.get(key); version !== undefined; version = version.previous) {
      if (version.height > height) continue
      writeVersion(this.#key, length, version.height)
      const { source, offset } = version
      this.#rows.put(row, source.subarray(offset, offset + version.length))
    }
  }

  /** Forgets the pending versions up to `height`, once their rows are on disk. */
  forget(height: number): void {
    for (const [key, version] of this.#pending) {
      if (version.height <= height) this.#pending.delete(key)
      else this.#pending.set(key, withoutVersions(version, height))
    }
  }

  /**
   * Looks at the next rows, and removes those that no read at or above `floor` can reach: all but the
   * newest version at or below it, and that too where it is a tombstone.
   * @returns whether the end of the table was reached; the next call begins anew.
   */
  prune(floor: number): boolean {
    const dead: Uint8Array[] = []
    let key: Uint8Array | undefined
    let reached = false
    let rows = 0
    let last: Uint8Array | undefined
    const start = this.#pruned
    for (const row of this.#rows.range(start === undefined ? {} : { start })) {
      if (key === undefined || !isVersionOf(row.key, key, key.length)) {
        if (rows >= SLICE) {
          last = row.key
          break
        }
        key = row.key.subarray(0, row.key.length - VERSION)
        reached = false
      }
      rows++
      if (readVersion(row.key) > floor) continue
      if (reached || row.value.length === 0) dead.push(row.key)
      reached = true
    }
    if (dead.length > 0) {
      this.#env.write(() => {
        for (const row of dead) this.#rows.remove(row)
      })
    }
    this.#pruned = last
    return last === undefined
  }
}

function withoutVersions(version: PendingVersion, height: number): PendingVersion {
  const { previous } = version
  if (previous === undefined) return version
  const kept = previous.height <= height ? undefined : withoutVersions(previous, height)
  return kept === previous ? version : { ...version, previous: kept }
}
