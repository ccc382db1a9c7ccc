import type { LogFilter } from '../../chain-types/log-filter.ts'
import { ByteReader } from '../codec/byte-reader.ts'
import { ByteWriter } from '../codec/byte-writer.ts'
import { skipReceipt } from '../codec/receipt-codec.ts'
import type { LmdbTable } from '../lmdb/lmdb-env.ts'
import type { FlushTable, MarkedEnv } from '../lmdb/marked-env.ts'

/** Blocks whose rows lie together: what is written lands in one place, what is too old leaves as one. */
const SECTION = 4096
/** Kinds of items: 0 is the address, 1 to 4 are the positions of topics, 5 is a log of any kind. */
const ADDRESS = 0
const ANY = 5
/** The longest key: section 4, kind 1, a topic 32, height within the section 2. */
const LONGEST_KEY = 39
/** Rows written or removed in one transaction: about 10 ms, so that nothing waits long for the thread. */
const SLICE = 2048

/** Bytes of receipts passed over before other work gets its turn: a few milliseconds. */
const PAUSE_BYTES = 1024 * 1024

/** Heights of one item within a section, as offsets from its start. */
interface Posting {
  readonly first: number
  last: number
  /** From one offset to the next; undefined while there is one height. */
  gaps: ByteWriter | undefined
}

/** For each kind the items, one character a byte. */
type Postings = readonly Map<string, Posting>[]

const { latin1Slice } = Buffer.prototype

function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function encodeKey(section: number, kind: number, item: Uint8Array, offset: number): Uint8Array {
  const key = new Uint8Array(7 + item.length)
  const view = new DataView(key.buffer)
  view.setUint32(0, section)
  key[4] = kind
  key.set(item, 5)
  view.setUint16(5 + item.length, offset)
  return key
}

const NO_BYTES = new Uint8Array(0)

/**
 * In which blocks an address or a topic at a position stands: rows of section, item and first height,
 * with the distances to the heights that follow. A flush adds rows and reads none. A row written twice
 * is the same row, and one that repeats heights of another changes no answer.
 *
 * Heights that are not flushed are not looked up: their blocks are few, and their blooms in memory.
 */
export class LogIndex implements FlushTable {
  readonly #env: MarkedEnv
  readonly #rows: LmdbTable
  /** Encoded receipts by height. */
  readonly #pending = new Map<number, Uint8Array>()
  readonly #key = Buffer.alloc(LONGEST_KEY)

  constructor(env: MarkedEnv) {
    this.#env = env
    this.#rows = env.table('logs')
  }

  /** Takes the receipts of a block, as `encodeReceipts` wrote them. A height on disk changes nothing. */
  apply(height: number, receipts: Uint8Array): void {
    if (height > this.#env.latest) this.#pending.set(height, receipts)
  }

  /** Heights from..to, ascending, outside of which no block holds a log that the filter matches. */
  heights(filter: LogFilter, from: number, to: number): number[] {
    const heights: number[] = []
    const stored = Math.min(to, this.#env.latest)
    for (let first = from; first <= stored; ) {
      const section = Math.floor(first / SECTION)
      const start = section * SECTION
      const last = Math.min(stored, start + SECTION - 1)
      const marks = this.#sectionMarks(filter, section, last - start)
      for (let height = first; height <= last; height++) {
        if (marks?.[height - start] === 1) heights.push(height)
      }
      first = last + 1
    }
    for (let height = Math.max(from, stored + 1); height <= to; height++) heights.push(height)
    return heights
  }

  async flush(height: number): Promise<void> {
    const heights = [...this.#pending.keys()].filter((pending) => pending <= height)
    heights.sort((a, b) => a - b)
    let bytes = 0
    let section = 0
    let postings = noPostings()
    for (const pending of heights) {
      if (Math.floor(pending / SECTION) !== section) {
        await this.#write(section, postings)
        section = Math.floor(pending / SECTION)
        postings = noPostings()
      }
      const receipts = this.#pending.get(pending) as Uint8Array
      collect(postings, receipts, pending % SECTION)
      bytes += receipts.length
      if (bytes < PAUSE_BYTES) continue
      bytes = 0
      await pause()
    }
    await this.#write(section, postings)
  }

  /** Forgets the pending heights above `height`. */
  forgetAbove(height: number): void {
    for (const pending of this.#pending.keys()) if (pending > height) this.#pending.delete(pending)
  }

  forget(height: number): void {
    for (const pending of this.#pending.keys()) if (pending <= height) this.#pending.delete(pending)
  }

  /**
   * Removes a slice of the rows of sections that end below `pruneHeight`.
   * @returns whether none are left.
   */
  prune(pruneHeight: number): boolean {
    const end = encodeKey(Math.floor(pruneHeight / SECTION), ADDRESS, NO_BYTES, 0)
    const dead: Uint8Array[] = []
    for (const { key } of this.#rows.range({ start: Uint8Array.of(0), end, limit: SLICE })) {
      dead.push(key)
    }
    if (dead.length > 0) {
      this.#env.write(() => {
        for (const key of dead) this.#rows.remove(key)
      })
    }
    return dead.length < SLICE
  }

  /** Removes what the rows say of heights above `height`, a slice in a transaction. */
  *removeAbove(height: number): Generator<void, void> {
    const section = Math.floor(height / SECTION)
    const last = height - section * SECTION
    for (let start = encodeKey(section, ADDRESS, NO_BYTES, 0); ; ) {
      const rows = [...this.#rows.range({ start, limit: SLICE })]
      this.#env.write(() => {
        for (const { key, value } of rows) this.#cut(key, value, section, last)
      })
      const next = rows.at(-1)?.key
      if (next === undefined || rows.length < SLICE) return
      start = Buffer.concat([next, Uint8Array.of(0)])
      yield
    }
  }

  /** A row without the heights behind offset `last` of a section; inside a transaction. */
  #cut(key: Uint8Array, value: Uint8Array, section: number, last: number): void {
    const view = new DataView(key.buffer, key.byteOffset, key.length)
    let offset = view.getUint16(key.length - 2)
    if (view.getUint32(0) > section || offset > last) {
      this.#rows.remove(key)
      return
    }
    const gaps = new ByteReader(value)
    const kept = new ByteWriter(value.length)
    let isCut = false
    while (!gaps.isAtEnd && !isCut) {
      const gap = gaps.uint()
      offset += gap
      isCut = offset > last
      if (!isCut) kept.uint(gap)
    }
    if (isCut) this.#rows.put(key, kept.finish())
  }

  /** A 1 for each offset up to `last` that meets all criteria; undefined where none does. */
  #sectionMarks(filter: LogFilter, section: number, last: number): Uint8Array | undefined {
    // The signature stands first and is shared by most logs: it is looked up when the others are met.
    const criteria = [...filter.topics.entries()]
      .map(([i, wanted]) => ({ kind: i + 1, wanted }))
      .reverse()
    criteria.unshift({ kind: ADDRESS, wanted: filter.addresses })
    let marks: Uint8Array | undefined
    for (const { kind, wanted } of criteria) {
      if (wanted.length === 0) continue
      const met = new Uint8Array(SECTION)
      for (const item of wanted) this.#mark(met, section, kind, item, last)
      if (marks !== undefined)
        for (let i = 0; i <= last; i++) met[i] = (met[i] ?? 0) & (marks[i] ?? 0)
      if (!met.includes(1)) return undefined
      marks = met
    }
    if (marks !== undefined) return marks
    const any = new Uint8Array(SECTION)
    this.#mark(any, section, ANY, NO_BYTES, last)
    return any
  }

  #mark(marks: Uint8Array, section: number, kind: number, item: Uint8Array, last: number): void {
    const start = encodeKey(section, kind, item, 0)
    const end = encodeKey(section, kind, item, last + 1)
    for (const { key, value } of this.#rows.range({ start, end })) {
      let offset = ((key[key.length - 2] as number) << 8) | (key[key.length - 1] as number)
      marks[offset] = 1
      const gaps = new ByteReader(value)
      while (!gaps.isAtEnd) {
        offset += gaps.uint()
        marks[offset] = 1
      }
    }
  }

  async #write(section: number, postings: Postings): Promise<void> {
    this.#key.writeUInt32BE(section, 0)
    for (const [kind, byItem] of postings.entries()) {
      const items = [...byItem.keys()].sort()
      for (let start = 0; start < items.length; start += SLICE) {
        this.#key[4] = kind
        this.#env.write(() => {
          for (const item of items.slice(start, start + SLICE)) {
            const { first, gaps } = byItem.get(item) as Posting
            const end = 5 + this.#key.write(item, 5, 'latin1')
            this.#key.writeUInt16BE(first, end)
            this.#rows.put(this.#key.subarray(0, end + 2), gaps?.finish() ?? NO_BYTES)
          }
        })
        await pause()
      }
    }
  }
}

function noPostings(): Postings {
  return Array.from({ length: ANY + 1 }, () => new Map())
}

function add(postings: Map<string, Posting>, item: string, offset: number): void {
  const posting = postings.get(item)
  if (posting === undefined) {
    postings.set(item, { first: offset, last: offset, gaps: undefined })
  } else if (posting.last !== offset) {
    posting.gaps ??= new ByteWriter(8)
    posting.gaps.uint(offset - posting.last)
    posting.last = offset
  }
}

/** Adds the items of a block's logs. */
function collect(postings: Postings, receipts: Uint8Array, offset: number): void {
  const reader = new ByteReader(receipts)
  let logs = 0
  for (let rest = reader.uint(); rest > 0; rest--) {
    logs += skipReceipt(reader, (position, start, end) => {
      const ofKind = postings[position] as Map<string, Posting>
      add(ofKind, latin1Slice.call(receipts, start, end), offset)
    })
  }
  if (logs > 0) add(postings[ANY] as Map<string, Posting>, '', offset)
}
