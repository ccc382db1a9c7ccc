import type { ForkedHistory } from '../../../chain/dev/fork/forked-history.ts'
import type { FoundLog } from '../../../evm/chain-types/log-filter.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { LogQueryArgument } from '../argument/log-filter.ts'
import type { ReadContext } from '../call/context.ts'

/** Logs of the blocks before the first local one, and the remaining query. */
interface OlderLogs {
  readonly found: readonly FoundLog[]
  readonly rest: LogQueryArgument | undefined
}

/**
 * Fetches the logs of remote blocks from the forked chain's node. Returns undefined if the query needs only local
 * blocks.
 */
export async function olderLogs(
  { chain }: Pick<ReadContext, 'chain'>,
  forked: ForkedHistory,
  query: LogQueryArgument,
): Promise<OlderLogs | undefined> {
  const { blockHash, fromBlock, toBlock } = query
  const last = forked.first - 1
  if (blockHash !== undefined) {
    const height = chain.heightOf(blockHash) ?? (await forked.heightOf(blockHash))
    if (height === undefined || height > last) return undefined
    return { found: await forked.logs(query, height, height), rest: undefined }
  }
  const from = heightIn(fromBlock)
  const to = heightIn(toBlock) ?? chain.latest
  if (from === undefined || from > last || from > to || toBlock.kind === 'pending') return undefined
  const found = await forked.logs(query, from, Math.min(to, last))
  if (to <= last) return { found, rest: undefined }
  const here: BlockArgument = { kind: 'height', height: last + 1, asked: BigInt(last + 1) }
  return { found, rest: { ...query, fromBlock: here } }
}

/** Returns undefined for a tag relative to the head of the chain. */
function heightIn(block: BlockArgument): number | undefined {
  if (block.kind === 'earliest') return 0
  return block.kind === 'height' ? block.height : undefined
}
