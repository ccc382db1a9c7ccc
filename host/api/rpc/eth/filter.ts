import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { logAnswer } from '../answer/log-answer.ts'
import type { LogQueryArgument } from '../argument/log-filter.ts'
import type { RpcContext } from '../call/context.ts'
import type { MethodCall, ReadCall } from '../call/rpc-call.ts'
import { checkFilterRange, queryLogs, searchLogs } from '../resolve/log-search.ts'

export async function getLogs(call: ReadCall, query: LogQueryArgument): Promise<unknown> {
  return logAnswer(call, await queryLogs(call.context, query, call))
}

export function newFilter({ context }: MethodCall, query: LogQueryArgument): string {
  checkFilterRange(query)
  return context.filters.add({ kind: 'logs', query, next: context.chain.latest + 1, removed: [] })
}

export function newBlockFilter({ context }: MethodCall): string {
  return context.filters.add({ kind: 'blocks', next: context.chain.latest + 1 })
}

export function newPendingTransactionFilter({ context }: MethodCall): string {
  return context.filters.add({ kind: 'pending', next: context.filters.nextHash })
}

export function uninstallFilter({ context }: MethodCall, id: string): boolean {
  return context.filters.remove(id)
}

/** Returns the first and last height of a polled log filter. */
function heightsOf({ chain }: RpcContext, query: LogQueryArgument, next: number): [number, number] {
  const { fromBlock, toBlock } = query
  const from = fromBlock.kind === 'height' ? Math.max(fromBlock.height, next) : next
  const to = toBlock.kind === 'height' ? Math.min(toBlock.height, chain.latest) : chain.latest
  return [from, to]
}

/** Returns the logs or hashes that are new since the filter was created or last polled. */
export async function getFilterChanges(call: MethodCall, id: string): Promise<unknown> {
  const { context } = call
  const filter = context.filters.use(id)
  const { chain } = context
  switch (filter.kind) {
    case 'pending':
      return context.filters.newHashes(id, filter)
    case 'blocks': {
      const hashes: string[] = []
      const from = Math.max(filter.next, chain.earliest)
      const { latest } = chain
      // Set before the first await, because two concurrent polls must not report the same block.
      filter.next = latest + 1
      for (let height = from; height <= latest; height++) {
        const header = chain.header(height)
        if (header !== undefined) hashes.push(formatData(header.hash))
        const turn = call.yield()
        if (turn !== undefined) await turn
      }
      return hashes
    }
    case 'logs': {
      const [from, to] = heightsOf(context, filter.query, filter.next)
      const { removed } = filter
      filter.removed = []
      if (from > to) return logAnswer(call, removed)
      filter.next = to + 1
      const found = await searchLogs(context, filter.query, from, to, call)
      return logAnswer(call, [...removed, ...found])
    }
  }
}

/** Returns all logs in the range of a filter, old and new. */
export async function getFilterLogs(call: MethodCall, id: string): Promise<unknown> {
  const { context } = call
  const filter = context.filters.use(id)
  if (filter.kind !== 'logs') throw new LockstepError('NOT_FOUND', 'filter not found')
  return logAnswer(call, await queryLogs(context, filter.query, call))
}
