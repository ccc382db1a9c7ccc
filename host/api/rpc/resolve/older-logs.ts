import type { ForkedHistory } from '../../../chain/dev/fork/forked-history.ts'
import type { FoundLog } from '../../../evm/chain-types/log-filter.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { LogQueryArgument } from '../argument/log-filter.ts'
import type { ReadContext } from '../call/context.ts'
import { heightBefore } from './block-lookup.ts'

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
  context: Pick<ReadContext, 'chain' | 'dev' | 'forked'>,
  forked: ForkedHistory,
  query: LogQueryArgument,
): Promise<OlderLogs | undefined> {
  const { chain } = context
  const { blockHash, fromBlock, toBlock } = query
  const last = forked.first - 1
  if (blockHash !== undefined) {
    const height = chain.heightOf(blockHash) ?? (await forked.heightOf(blockHash))
    if (height === undefined || height > last) return undefined
    return { found: await forked.logs(query, height, height), rest: undefined }
  }
  const from = heightIn(context, fromBlock)
  const to = heightIn(context, toBlock)
  if (from > last || from > to || toBlock.kind === 'pending') return undefined
  const found = await forked.logs(query, from, Math.min(to, last))
  if (to <= last) return { found, rest: undefined }
  const here: BlockArgument = { kind: 'height', height: last + 1, asked: BigInt(last + 1) }
  return { found, rest: { ...query, fromBlock: here } }
}

/** Returns the height that a bound of a range means. */
function heightIn(
  context: Pick<ReadContext, 'chain' | 'dev' | 'forked'>,
  block: BlockArgument,
): number {
  switch (block.kind) {
    case 'earliest':
      return 0
    case 'height':
      return block.height
    case 'safe':
      return heightBefore(context, 1)
    case 'finalized':
      return heightBefore(context, 2)
    default:
      return context.chain.latest
  }
}
