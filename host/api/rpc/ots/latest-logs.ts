import { bytesKey } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatQuantity } from '../../../base/hex.ts'
import { timestampOf } from '../../../evm/chain-types/block.ts'
import { bloomTest, type FoundLog } from '../../../evm/chain-types/log-filter.ts'
import { type LogQueryArgument, logQueryFrom } from '../argument/log-filter.ts'
import { asObject, COUNT, FLAG, member, type ParamType } from '../argument/parameter.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { logRecord } from '../format/log-record.ts'
import { pruned } from '../resolve/block-lookup.ts'
import { blockRangeOf } from '../resolve/log-search.ts'

/** Which logs of a query are returned, from the latest on. */
export interface LatestLogOptions {
  /** 0 is unlimited. */
  readonly logCount: number
  /** Blocks that have matching logs; 0 is unlimited. */
  readonly blockCount: number
  /** True to find a log with any of the topics at any position. */
  readonly ignoreTopicsOrder: boolean
}

/** Erigon's default. */
export const LAST_BLOCK: LatestLogOptions = {
  logCount: 0,
  blockCount: 1,
  ignoreTopicsOrder: false,
}

/** Heights looked up in the index per step. */
const WINDOW = 4096

/** Memory of a log and its record, without its data. */
const BYTES_PER_LOG = 4096

/** The filter of eth_getLogs, whose range is the whole chain by default. */
export const LATEST_LOG_QUERY: ParamType<LogQueryArgument> = {
  label: 'log filter',
  decode: (value) => logQueryFrom(value, { kind: 'earliest' }),
}

export const LATEST_LOG_OPTIONS: ParamType<LatestLogOptions> = {
  label: 'log options',
  decode: (value) => {
    const object = asObject(value, 'log options')
    const logCount = member(object, 'logCount', COUNT) ?? 0
    const blockCount = member(object, 'blockCount', COUNT) ?? 0
    const ignoreTopicsOrder = member(object, 'ignoreTopicsOrder', FLAG) ?? false
    if (logCount > 0 && blockCount > 0) {
      const text = 'logs count & block count are ambiguous: pass one of logCount and blockCount'
      throw new LockstepError('REFUSED_ARGUMENT', text)
    }
    if (logCount === 0 && blockCount === 0) return { ...LAST_BLOCK, ignoreTopicsOrder }
    return { logCount, blockCount, ignoreTopicsOrder }
  },
}

/** Returns a block's logs by transaction, the last one first, as Erigon does. */
function lastTransactionFirst(logs: readonly FoundLog[]): FoundLog[] {
  return logs.toSorted(
    ({ place: a }, { place: b }) =>
      b.transactionIndex - a.transactionIndex || a.logIndex - b.logIndex,
  )
}

/**
 * Returns the latest logs that match a query: blocks and their transactions from the last one on, the logs of a
 * transaction in order. They have the time of their block.
 * @throws REFUSED_ARGUMENT, LIMIT_EXCEEDED, STATE_PRUNED, NOT_FOUND
 */
export async function getLatestLogs(
  call: MethodCall,
  query: LogQueryArgument,
  { logCount, blockCount, ignoreTopicsOrder }: LatestLogOptions,
): Promise<unknown> {
  const { chain, keccak256, limits } = call.context
  const [from, to] = blockRangeOf(call.context, query)
  const wanted = new Set(query.topics.flat().map(bytesKey))
  const filter = ignoreTopicsOrder ? { ...query, topics: [] } : query
  const isWanted = ({ log }: FoundLog) =>
    !ignoreTopicsOrder ||
    wanted.size === 0 ||
    log.topics.some((topic) => wanted.has(bytesKey(topic)))
  const mayMatch = bloomTest(filter, keccak256)
  const records: object[] = []
  let blocks = 0
  for (let end = to; end >= from; end -= WINDOW) {
    const heights = chain.logHeights(filter, Math.max(from, end - WINDOW + 1), end)
    for (const height of heights.toReversed()) {
      const turn = call.yield()
      if (turn !== undefined) await turn
      const matching = chain.matchingLogs(filter, height, mayMatch)
      if (matching === undefined) throw pruned(height, chain.earliest, chain.latest)
      const found = lastTransactionFirst(matching.filter(isWanted))
      for (const { log, place } of found) {
        call.reserve(BYTES_PER_LOG + 4 * log.data.length)
        records.push({
          ...logRecord(log, place),
          timestamp: formatQuantity(timestampOf(place.header)),
        })
        if (records.length === logCount) return records
        if (limits.logs > 0 && records.length > limits.logs) throw tooMany(limits.logs)
      }
      if (found.length > 0 && ++blocks === blockCount) return records
    }
    const turn = call.yield()
    if (turn !== undefined) await turn
  }
  return records
}

function tooMany(limit: number): LockstepError {
  const key = 'evm.max_log_no_block'
  const text = `query returned more than ${limit} results (${key})`
  return new LockstepError('LIMIT_EXCEEDED', text, {
    data: { limit, key },
    hint: 'pass a smaller logCount or blockCount',
  })
}
