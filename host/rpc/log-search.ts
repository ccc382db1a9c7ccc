import { LockstepError } from '../base/error.ts'
import { formatQuantity } from '../base/hex.ts'
import { bloomTest, type LogFilter } from '../chain-types/log-filter.ts'
import type { BlockArgument } from './block-argument.ts'
import { findHeight, pruned, requireHeight } from './block-lookup.ts'
import type { RpcContext } from './context.ts'
import { type LogQuery, matchingLogs } from './log-filter.ts'

/** Blocks read before other work gets its turn. */
const TURN_BLOCKS = 64
/** Heights looked up in the index at once. */
const WINDOW = 4096

/** Height of a bound: the newest block at most. */
function bound(context: RpcContext, block: BlockArgument): number {
  const height = findHeight(context, block)
  if (height !== undefined) return height
  throw new LockstepError(
    'INVALID_ARGUMENT',
    `block range extends beyond current head block ${context.chain.latest}`,
  )
}

/**
 * Records of the logs a query asks for, in chain order.
 * @throws INVALID_ARGUMENT, LIMIT_EXCEEDED, STATE_PRUNED, NOT_FOUND
 */
export async function queryLogs(
  context: RpcContext,
  query: LogQuery,
  signal: AbortSignal,
): Promise<unknown[]> {
  if (query.blockHash !== undefined) {
    const height = requireHeight(context, { kind: 'hash', hash: query.blockHash })
    return searchLogs(context, query, height, height, signal)
  }
  const from = bound(context, query.fromBlock)
  const to = bound(context, query.toBlock)
  if (from > to) {
    const text = `requested fromBlock ${from} is greater than toBlock ${to}`
    throw new LockstepError('INVALID_ARGUMENT', text)
  }
  return searchLogs(context, query, from, to, signal)
}

/** The same for heights that are known to exist. */
export async function searchLogs(
  { chain, limits, keccak256 }: Pick<RpcContext, 'chain' | 'limits' | 'keccak256'>,
  filter: LogFilter,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<unknown[]> {
  const blocks = to - from + 1
  if (blocks > limits.logBlocks) {
    throw new LockstepError(
      'LIMIT_EXCEEDED',
      `block range too large (${blocks}), maximum allowed is ${limits.logBlocks} blocks`,
    )
  }
  const mayMatch = bloomTest(filter, keccak256)
  const found: unknown[] = []
  let reads = 0
  for (let start = from; start <= to; start += WINDOW) {
    if (start < chain.earliest) throw pruned(start, chain.earliest, chain.latest)
    const end = Math.min(to, start + WINDOW - 1)
    for (const height of chain.logHeights(filter, start, end)) {
      if (++reads % TURN_BLOCKS === 0) await turn(signal)
      const header = chain.header(height)
      if (header === undefined) throw pruned(height, chain.earliest, chain.latest)
      if (!mayMatch(header.logsBloom)) continue
      for (const log of matchingLogs(filter, header, chain.receipts(height) ?? [])) found.push(log)
      if (found.length > limits.logs) throw tooMany(limits.logs, from, height)
    }
    if (end < to) await turn(signal)
  }
  return found
}

/** Lets other work run. @throws REQUEST_TIMEOUT */
async function turn(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  if (signal.aborted) throw new LockstepError('REQUEST_TIMEOUT', 'request aborted')
}

/** Says which part of the range would have been answered, in the words that indexers look for. */
function tooMany(limit: number, from: number, height: number): LockstepError {
  const last = formatQuantity(Math.max(from, height - 1))
  const range = `[${formatQuantity(from)}, ${last}]`
  return new LockstepError(
    'LIMIT_EXCEEDED',
    `query returned more than ${limit} results. Try with this block range ${range}.`,
    { data: { from: formatQuantity(from), to: last, limit } },
  )
}
