import type { BlockRow, TransactionRow } from '../../browser/source/block-rows.ts'
import type { NodeReader } from '../../browser/source/node-reader.ts'

/** The blocks up to one, latest first, and transactions of them and of earlier blocks. */
export interface RecentChain {
  readonly blocks: readonly BlockRow[]
  readonly transactions: readonly TransactionRow[]
  /** Number of blocks searched for transactions. */
  readonly looked: number
}

export interface RecentLimits {
  /** Length of the block list. */
  readonly blocks: number
  /** Number of transactions at which the search stops. */
  readonly transactions: number
  /** Maximum blocks to search, if most of them are empty. */
  readonly looked: number
}

/** Blocks per request. */
const AT_A_TIME = 100
/** Blocks requested with transactions at a time. */
const FILLED_AT_A_TIME = 8

/** Reads the recent blocks of a node. Results are cached, so only new blocks are requested as the chain grows. */
export class RecentBlocksReader {
  readonly #reader: Pick<NodeReader, 'recentBlocks' | 'block'>
  readonly #limits: RecentLimits
  #blocks = new Map<number, BlockRow>()
  readonly #transactions = new Map<string, readonly TransactionRow[]>()

  constructor(reader: Pick<NodeReader, 'recentBlocks' | 'block'>, limits: RecentLimits) {
    this.#reader = reader
    this.#limits = limits
  }

  /** Returns the blocks and transactions up to block `last`. */
  async upTo(last: number): Promise<RecentChain> {
    const { blocks: wanted, transactions: enough, looked: most } = this.#limits
    const transactions: TransactionRow[] = []
    const blocks = [...(await this.#rows(last, wanted))]
    let looked = 0
    for (;;) {
      const rest = blocks.slice(looked)
      looked += rest.length
      transactions.push(...(await this.#transactionsOf(rest, enough - transactions.length)))
      const next = last - looked
      const isEnough = transactions.length >= enough || looked >= most || next < 0
      if (isEnough || rest.length === 0) break
      blocks.push(...(await this.#rows(next, Math.min(AT_A_TIME, most - looked))))
    }
    this.#forget(last)
    return { blocks: blocks.slice(0, wanted), transactions, looked }
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

  async #transactionsOf(
    blocks: readonly BlockRow[],
    enough: number,
  ): Promise<readonly TransactionRow[]> {
    const rows: TransactionRow[] = []
    const filled = blocks.filter(({ transactionCount }) => transactionCount > 0)
    for (let i = 0; i < filled.length && rows.length < enough; i += FILLED_AT_A_TIME) {
      const some = filled.slice(i, i + FILLED_AT_A_TIME)
      rows.push(...(await Promise.all(some.map((block) => this.#inBlock(block)))).flat())
    }
    return rows
  }

  async #inBlock({ hash, number }: BlockRow): Promise<readonly TransactionRow[]> {
    const known = this.#transactions.get(hash)
    if (known !== undefined) return known
    const found = [...((await this.#reader.block(number))?.transactions ?? [])].reverse()
    this.#transactions.set(hash, found)
    return found
  }

  /** Drops blocks below the search depth. */
  #forget(last: number): void {
    const lowest = last - this.#limits.looked
    for (const [number, { hash }] of this.#blocks) {
      if (number >= lowest && number <= last) continue
      this.#blocks.delete(number)
      this.#transactions.delete(hash)
    }
  }
}
