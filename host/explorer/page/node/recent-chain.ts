import type { BlockRow } from '../../browser/source/block-rows.ts'
import type { NodeReader } from '../../browser/source/node-reader.ts'

/** Blocks per request. */
const AT_A_TIME = 100

/** Reads the recent blocks of a node. Results are cached, so only new blocks are requested as the chain grows. */
export class RecentBlocksReader {
  readonly #reader: Pick<NodeReader, 'recentBlocks'>
  readonly #count: number
  #blocks = new Map<number, BlockRow>()

  /** `count` is the length of the list. */
  constructor(reader: Pick<NodeReader, 'recentBlocks'>, count: number) {
    this.#reader = reader
    this.#count = count
  }

  /** Returns the blocks up to block `last`, latest first. */
  async upTo(last: number): Promise<readonly BlockRow[]> {
    const rows = await this.#rows(last, this.#count)
    for (const number of this.#blocks.keys()) {
      if (number < last - this.#count || number > last) this.#blocks.delete(number)
    }
    return rows
  }

  /** Returns `count` blocks from `last` down. Cached blocks must form a chain; others are requested again. */
  async #rows(last: number, count: number): Promise<readonly BlockRow[]> {
    const missing = this.#missing(last, count)
    if (missing > 0) {
      for (const row of await this.#reader.recentBlocks(Math.min(missing, AT_A_TIME), last)) {
        const child = this.#blocks.get(row.number + 1)
        // A reorganisation: the cached block above belongs to the old branch.
        if (child !== undefined && child.parentHash !== row.hash) this.#blocks.delete(child.number)
        this.#blocks.set(row.number, row)
      }
      const lowest = this.#blocks.get(last - missing + 1)
      const below = this.#blocks.get(last - missing)
      if (lowest !== undefined && below !== undefined && lowest.parentHash !== below.hash) {
        this.#blocks = new Map([...this.#blocks].filter(([number]) => number > below.number))
        return this.#rows(last, count)
      }
    }
    const rows: BlockRow[] = []
    for (let number = last; number > last - count && number >= 0; number--) {
      const row = this.#blocks.get(number)
      if (row === undefined) break
      rows.push(row)
    }
    return rows
  }

  /** Returns how many blocks from `last` down must be requested: down to the lowest uncached one. */
  #missing(last: number, count: number): number {
    for (let depth = Math.min(count, last + 1); depth > 0; depth--) {
      if (!this.#blocks.has(last - depth + 1)) return depth
    }
    return 0
  }
}
