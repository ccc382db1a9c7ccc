import { yieldToEventLoop } from '../../../base/yield-to-event-loop.ts'
import type { LogFilter } from '../../../evm/chain-types/log-filter.ts'
import { ByteReader } from '../codec/byte-reader.ts'
import { ByteWriter } from '../codec/byte-writer.ts'
import { skipReceipt } from '../codec/receipt-codec.ts'
import type { LmdbTable } from '../lmdb/lmdb-env.ts'
import type { FlushTable, MarkedEnv } from '../lmdb/marked-env.ts'
import { ItemRows } from './item-rows.ts'

/** Blocks whose rows lie together, so that writes are local and old rows are removed as one range. */
const SECTION = 4096
/** Kinds of items: 0 is the address, 1 to 4 are the positions of topics, 5 is any log. */
const ADDRESS = 0
const ANY = 5
/** Bytes of an item of each kind. */
const ITEM_BYTES = [20, 32, 32, 32, 32, 0] as const
/** Bytes before an item in a key: section 4, kind 1. */
const PREFIX = 5
/** Rows written or removed per transaction: about 10 ms, so that nothing waits long for the thread. */
const SLICE = 2048

/** Bytes of receipts to skip before yielding to other work: a few milliseconds. */
const PAUSE_BYTES = 1024 * 1024

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
 * Maps an address, or a topic at a position, to blocks. A row consists of section, item and first height, with the
 * differences of the heights that follow. A flush adds rows and reads none. Writing a row twice is harmless, and so
 * is a row that repeats another's heights.
 *
 * Unflushed heights are not looked up: their blocks are few, and their blooms in memory.
 */
export class LogIndex implements FlushTable {
  readonly #env: MarkedEnv
  readonly #rows: LmdbTable
  /** Encoded receipts by height. */
  readonly #pending = new Map<number, Uint8Array>()

  constructor(env: MarkedEnv) {
    this.#env = env
    this.#rows = env.table('logs')
  }

  /** Adds the receipts of a block, as `encodeReceipts` wrote them. A height on disk changes nothing. */
  apply(height: number, receipts: Uint8Array): void {
    if (height > this.#env.latest) this.#pending.set(height, receipts)
  }

  /** Returns heights from..to, ascending, that include every block with a log that matches the filter. */
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
    let items = noItems()
    for (const pending of heights) {
      if (Math.floor(pending / SECTION) !== section) {
        await this.#write(section, items)
        section = Math.floor(pending / SECTION)
        items = noItems()
      }
      const receipts = this.#pending.get(pending) as Uint8Array
      collect(items, receipts, pending % SECTION)
      bytes += receipts.length
      if (bytes < PAUSE_BYTES) continue
      bytes = 0
      await yieldToEventLoop()
    }
    await this.#write(section, items)
  }

  /** Drops the pending heights above `height`. */
  forgetAbove(height: number): void {
    for (const pending of this.#pending.keys()) if (pending > height) this.#pending.delete(pending)
  }

  forget(height: number): void {
    for (const pending of this.#pending.keys()) if (pending <= height) this.#pending.delete(pending)
  }

  /**
   * Removes a slice of the rows of sections that end below `pruneHeight`.
   * @returns true if none are left.
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

  /** Removes heights above `height` from the rows, one slice per transaction. */
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

  /** Removes the heights after offset `last` of a section from a row. Call it in a transaction. */
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

  /** Returns a 1 for each offset up to `last` that meets all criteria, or undefined if none does. */
  #sectionMarks(filter: LogFilter, section: number, last: number): Uint8Array | undefined {
    // The signature is topic 0 and shared by most logs, so it is looked up last.
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

  async #write(section: number, items: readonly ItemRows[]): Promise<void> {
    for (const [kind, rows] of items.entries()) {
      const key = Buffer.alloc(PREFIX + rows.width)
      key.writeUInt32BE(section)
      key[4] = kind
      const postings = rows.postings()
      for (let isDone = rows.isEmpty; !isDone; ) {
        this.#env.write(() => {
          for (let written = 0; written < SLICE && !isDone; written++) {
            const { value } = postings.next()
            isDone = value === undefined
            if (value === undefined) continue
            key.set(value.start, PREFIX)
            this.#rows.put(key, value.gaps ?? NO_BYTES)
          }
        })
        await yieldToEventLoop()
      }
    }
  }
}

function noItems(): readonly ItemRows[] {
  return ITEM_BYTES.map((length) => new ItemRows(length))
}

/** Adds the items of a block's logs. */
function collect(items: readonly ItemRows[], receipts: Uint8Array, offset: number): void {
  const reader = new ByteReader(receipts)
  let logs = 0
  for (let rest = reader.uint(); rest > 0; rest--) {
    logs += skipReceipt(reader, (position, start) => items[position]?.add(receipts, start, offset))
  }
  if (logs > 0) items[ANY]?.add(receipts, 0, offset)
}
