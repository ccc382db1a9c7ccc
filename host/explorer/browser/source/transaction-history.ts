import type { MinedRow } from './block-rows.ts'
import type { NodeReader } from './node-reader.ts'

/** Transactions of consecutive blocks, latest first. Every block from \`from\` to \`last\` was looked at. */
export interface HistoryPage {
  readonly rows: readonly MinedRow[]
  readonly from: number
  readonly last: number
}

export interface HistoryOptions {
  /** The search ends with the block that completes so many. */
  readonly enough: number
  /** Only these count. */
  readonly accepts?: ((row: MinedRow) => boolean) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Windows of 1,024 blocks in one request, and in one search: a quarter of a million blocks. */
const WINDOWS = { first: 1, more: 8, most: 256 } as const
/** Blocks that are read at a time, and in one search. */
const BLOCKS = { first: 2, more: 8, most: 400 } as const

type HistorySource = Pick<NodeReader, 'filledBlocks' | 'minedTransactions'>

/** Reads the transactions up to block \`last\`. Empty blocks cost next to nothing. */
export async function transactionsUpTo(
  source: HistorySource,
  last: number,
  { enough, accepts = () => true, signal }: HistoryOptions,
): Promise<HistoryPage> {
  const rows: MinedRow[] = []
  let from = last + 1
  let blocks = 0
  for (let windows = 0; windows < WINDOWS.most && from > 0; ) {
    const some = windows === 0 ? WINDOWS.first : WINDOWS.more
    const found = await source.filledBlocks(from - 1, some)
    windows += some
    for (let i = 0; i < found.numbers.length; ) {
      const count = blocks === 0 ? BLOCKS.first : BLOCKS.more
      const batch = found.numbers.slice(i, i + count)
      signal?.throwIfAborted()
      for (const [at, mined] of (await source.minedTransactions(batch)).entries()) {
        rows.push(...mined.filter(accepts))
        blocks++
        if (rows.length < enough && blocks < BLOCKS.most) continue
        return { rows, from: batch[at] as number, last }
      }
      i += batch.length
    }
    from = found.from
    signal?.throwIfAborted()
  }
  return { rows, from, last }
}

/** Returns the last block of the page above block \`from\`: the next newer one of at least \`enough\` transactions. */
export async function lastOfNewer(
  source: HistorySource,
  from: number,
  head: number,
  options: HistoryOptions,
): Promise<number> {
  const { enough, accepts = () => true, signal } = options
  let count = 0
  for (let low = from + 1; low <= head; ) {
    const end = Math.min(head, low + 1_023)
    const found = await source.filledBlocks(end, 1)
    const numbers = found.numbers.filter((number) => number >= low).reverse()
    for (let i = 0; i < numbers.length; i += BLOCKS.more) {
      const batch = numbers.slice(i, i + BLOCKS.more)
      signal?.throwIfAborted()
      for (const [at, mined] of (await source.minedTransactions(batch)).entries()) {
        count += mined.filter(accepts).length
        if (count >= enough) return batch[at] as number
      }
    }
    low = end + 1
  }
  return head
}
