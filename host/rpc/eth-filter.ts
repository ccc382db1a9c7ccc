import { LockstepError } from '../base/error.ts'
import { formatData } from '../base/hex.ts'
import { findHeight } from './block-lookup.ts'
import type { RpcContext } from './context.ts'
import type { LogQuery } from './log-filter.ts'
import { queryLogs, searchLogs } from './log-search.ts'
import type { RpcCall } from './method.ts'

export function getLogs({ context, caller }: RpcCall, query: LogQuery): Promise<unknown[]> {
  return queryLogs(context, query, caller.signal)
}

export function newFilter({ context }: RpcCall, query: LogQuery): string {
  return context.filters.add({ kind: 'logs', query, next: context.chain.latest + 1 })
}

export function newBlockFilter({ context }: RpcCall): string {
  return context.filters.add({ kind: 'blocks', next: context.chain.latest + 1 })
}

export function newPendingTransactionFilter({ context }: RpcCall): string {
  return context.filters.add({ kind: 'pending', next: context.filters.nextHash })
}

export function uninstallFilter({ context }: RpcCall, id: string): boolean {
  return context.filters.remove(id)
}

/** First and last height that a polled log filter covers. */
function heightsOf({ chain }: RpcContext, query: LogQuery, next: number): [number, number] {
  const { fromBlock, toBlock } = query
  const from = fromBlock.kind === 'height' ? Math.max(fromBlock.height, next) : next
  const to = toBlock.kind === 'height' ? Math.min(toBlock.height, chain.latest) : chain.latest
  return [from, to]
}

/** What is new since the filter was made or last asked for. */
export async function getFilterChanges(
  { context, caller }: RpcCall,
  id: string,
): Promise<unknown[]> {
  const filter = context.filters.use(id)
  const { chain } = context
  switch (filter.kind) {
    case 'pending':
      return context.filters.newHashes(id, filter)
    case 'blocks': {
      const hashes: string[] = []
      const from = Math.max(filter.next, chain.latest - context.limits.logBlocks + 1)
      for (let height = from; height <= chain.latest; height++) {
        const header = chain.header(height)
        if (header !== undefined) hashes.push(formatData(header.hash))
      }
      filter.next = chain.latest + 1
      return hashes
    }
    case 'logs': {
      const [from, to] = heightsOf(context, filter.query, filter.next)
      if (from > to) return []
      // Before the first wait: two polls at a time must not report the same block.
      filter.next = to + 1
      return searchLogs(context, filter.query, from, to, caller.signal)
    }
  }
}

/** All that a log filter matches in its range, old and new. */
export function getFilterLogs({ context, caller }: RpcCall, id: string): Promise<unknown[]> {
  const filter = context.filters.use(id)
  if (filter.kind !== 'logs') throw new LockstepError('NOT_FOUND', 'filter not found')
  const { query } = filter
  // A range that ends in the future ends at the head for now.
  const open = findHeight(context, query.toBlock) === undefined
  return queryLogs(context, open ? { ...query, toBlock: { kind: 'latest' } } : query, caller.signal)
}
