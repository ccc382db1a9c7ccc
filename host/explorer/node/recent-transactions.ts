import type { TransactionRow } from '../../browser/source/block-rows.ts'
import type { NodeReader } from '../../browser/source/node-reader.ts'

/** Transactions of the last blocks, and how many blocks those were. */
export interface RecentTransactions {
  readonly rows: readonly TransactionRow[]
  readonly blocks: number
}

/** Blocks that are read at a time, each with all its transactions. */
const AT_A_TIME = 10

/** The transactions of the last blocks that are `wanted`, the newest first. Empty blocks are not read twice. */
export async function recentTransactions(
  reader: NodeReader,
  count: number,
  wanted: (row: TransactionRow) => boolean = () => true,
  last?: number,
): Promise<RecentTransactions> {
  const blocks = await reader.recentBlocks(count, last)
  const filled = blocks.filter(({ transactionCount }) => transactionCount > 0)
  const rows: TransactionRow[] = []
  for (let i = 0; i < filled.length; i += AT_A_TIME) {
    const some = filled.slice(i, i + AT_A_TIME).map(({ number }) => reader.block(number))
    for (const block of await Promise.all(some)) {
      rows.push(...[...(block?.transactions ?? [])].reverse().filter(wanted))
    }
  }
  return { rows, blocks: blocks.length }
}
