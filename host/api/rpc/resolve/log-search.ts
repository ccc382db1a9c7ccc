import { LockstepError } from '../../../base/error.ts'
import { formatQuantity } from '../../../base/hex.ts'
import { bloomTest, type FoundLog, type LogFilter } from '../../../evm/chain-types/log-filter.ts'
import { type BlockArgument, isHeadTag } from '../argument/block-argument.ts'
import type { LogQueryArgument } from '../argument/log-filter.ts'
import type { ReadContext } from '../call/context.ts'
import type { RpcLimits } from '../call/limits.ts'
import { findHeight, pruned, requireHeight } from './block-lookup.ts'
import { olderLogs } from './older-logs.ts'

/** Heights looked up in the index per step. */
const WINDOW = 4096

/** Overhead of a found log in bytes, including its text in the response. */
const BYTES_PER_LOG = 2048

/** Bytes of found logs reserved per step: each reservation sums over all threads. */
const HELD_AT_ONCE = 32 * 1024

/** The time and memory accounting of a search. */
export interface SearchCosts {
  /** Yields between two pieces of work, as `ReadCall.turn`. @throws REQUEST_TIMEOUT */
  yield(): Promise<void> | undefined
  /** Reserves bytes for the response. @throws CLIENT_LIMIT */
  reserve(bytes: number): void
}

/** The chain to search and the limits; 0 is unlimited. */
type LogSearch = Pick<ReadContext, 'chain' | 'keccak256'> & {
  readonly limits: Pick<RpcLimits, 'logBlocks' | 'logs'>
}

/** geth's message for an invalid range. */
function invalidRange(text = 'invalid block range params'): LockstepError {
  return new LockstepError('REFUSED_ARGUMENT', text)
}

/** Returns true if both bounds are heights and the first is above the second, which needs no chain access. */
function isAbove(from: BlockArgument, to: BlockArgument): boolean {
  return from.kind === 'height' && to.kind === 'height' && from.asked > to.asked
}

function refusePending(...bounds: readonly BlockArgument[]): void {
  if (bounds.some(({ kind }) => kind === 'pending')) {
    throw invalidRange('pending logs are not supported')
  }
}

/**
 * Checks the range of a polled filter: new blocks, or blocks from a height on.
 * @throws REFUSED_ARGUMENT with geth's messages
 */
export function checkFilterRange({ fromBlock, toBlock }: LogQueryArgument): void {
  refusePending(fromBlock, toBlock)
  const isOpen = isHeadTag(toBlock)
  const beginsOpen = isHeadTag(fromBlock)
  if (isAbove(fromBlock, toBlock) || (beginsOpen && !isOpen)) throw invalidRange()
}

/**
 * Returns the first and last height of a query.
 * @throws REFUSED_ARGUMENT with geth's messages, NOT_FOUND, STATE_PRUNED
 */
export function blockRangeOf(
  context: ReadContext,
  query: Pick<LogQueryArgument, 'blockHash' | 'fromBlock' | 'toBlock'>,
): readonly [from: number, to: number] {
  const { blockHash, fromBlock, toBlock } = query
  if (blockHash !== undefined) {
    const block = { kind: 'hash', hash: blockHash } as const
    const height = requireHeight(context, block, () => 'unknown block')
    return [height, height]
  }
  if (isAbove(fromBlock, toBlock)) throw invalidRange()
  refusePending(fromBlock, toBlock)
  const from = findHeight(context, fromBlock)
  const to = findHeight(context, toBlock)
  // A missing bound is above the head.
  if (from === undefined ? to !== undefined : to !== undefined && from > to) throw invalidRange()
  if (to === undefined && isHeadTag(fromBlock)) throw invalidRange()
  if (from === undefined || to === undefined) {
    throw invalidRange('block range extends beyond current head block')
  }
  return [from, to]
}

/**
 * Returns the logs that match a query, in chain order.
 * @throws REFUSED_ARGUMENT, LIMIT_EXCEEDED, STATE_PRUNED, NOT_FOUND
 */
export async function queryLogs(
  context: ReadContext,
  query: LogQueryArgument,
  costs: SearchCosts,
): Promise<FoundLog[]> {
  const { forked } = context
  const older = forked && (await olderLogs(context, forked, query))
  if (older === undefined) return logsHere(context, query, costs)
  if (older.rest === undefined) return [...older.found]
  return [...older.found, ...(await logsHere(context, older.rest, costs))]
}

function logsHere(
  context: ReadContext,
  query: LogQueryArgument,
  costs: SearchCosts,
): Promise<FoundLog[]> {
  const [from, to] = blockRangeOf(context, query)
  return searchLogs(context, query, from, to, costs)
}

/**
 * Returns the logs that match a filter in a range of existing heights. The limits apply only to a range of several
 * blocks.
 */
export async function searchLogs(
  { chain, limits, keccak256 }: LogSearch,
  filter: LogFilter,
  from: number,
  to: number,
  costs: SearchCosts,
): Promise<FoundLog[]> {
  const blocks = to - from + 1
  if (exceeds(blocks, limits.logBlocks)) throw tooManyBlocks(blocks, limits.logBlocks)
  const mayMatch = bloomTest(filter, keccak256)
  const found: FoundLog[] = []
  let unheld = 0
  for (let start = from; start <= to; start += WINDOW) {
    if (start < chain.earliest) throw pruned(start, chain.earliest, chain.latest)
    const end = Math.min(to, start + WINDOW - 1)
    for (const height of chain.logHeights(filter, start, end)) {
      const turn = costs.yield()
      if (turn !== undefined) await turn
      const matching = chain.matchingLogs(filter, height, mayMatch)
      if (matching === undefined) throw pruned(height, chain.earliest, chain.latest)
      if (matching.length === 0) continue
      for (const one of matching) {
        unheld += BYTES_PER_LOG + one.log.data.length
        found.push(one)
      }
      if (unheld >= HELD_AT_ONCE) {
        costs.reserve(unheld)
        unheld = 0
      }
      if (blocks > 1 && exceeds(found.length, limits.logs)) {
        throw tooManyLogs(limits.logs, from, height)
      }
    }
    const turn = costs.yield()
    if (turn !== undefined) await turn
  }
  costs.reserve(unheld)
  return found
}

/** 0 is unlimited. */
function exceeds(count: number, limit: number): boolean {
  return limit > 0 && count > limit
}

function tooManyBlocks(blocks: number, limit: number): LockstepError {
  const text = `block range too large (${blocks}), maximum allowed is ${limit} blocks`
  const key = 'evm.max_blocks_for_log'
  return new LockstepError('LIMIT_EXCEEDED', text, { data: { limit, key } })
}

/**
 * Returns the error that suggests an answerable range, in the wording that indexers parse. If the first block alone
 * exceeds the limit, suggests that block, because a single block has no limit.
 */
function tooManyLogs(limit: number, from: number, height: number): LockstepError {
  const last = formatQuantity(Math.max(from, height - 1))
  const range = `[${formatQuantity(from)}, ${last}]`
  return new LockstepError(
    'LIMIT_EXCEEDED',
    `query returned more than ${limit} results. Try with this block range ${range}.`,
    { data: { from: formatQuantity(from), to: last, limit, key: 'evm.max_log_no_block' } },
  )
}
