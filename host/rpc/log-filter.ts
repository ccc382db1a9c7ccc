import { LockstepError } from '../base/error.ts'
import type { BlockHeader } from '../chain-types/block.ts'
import { type LogFilter, matchesLog } from '../chain-types/log-filter.ts'
import type { Receipt } from '../chain-types/receipt.ts'
import { BLOCK_NUMBER, type BlockArgument, LATEST } from './block-argument.ts'
import { logRecord } from './format/log-record.ts'
import {
  ADDRESS,
  asArray,
  asObject,
  HASH,
  type JsonObject,
  member,
  type ParamType,
} from './params.ts'

/** geth's limits on what one filter names. */
const MAX_TOPICS = 4
const MAX_ALTERNATIVES = 1000

export interface LogQuery extends LogFilter {
  /** The single block to search; the bounds are then not used. */
  readonly blockHash: Uint8Array | undefined
  readonly fromBlock: BlockArgument
  readonly toBlock: BlockArgument
}

/** One value or a list of alternatives; null for any. */
function alternatives<Value>(value: unknown, type: ParamType<Value>, what: string): Value[] {
  if (value === undefined || value === null) return []
  const list = Array.isArray(value) ? value : [value]
  if (list.length > MAX_ALTERNATIVES) {
    throw new LockstepError('INVALID_ARGUMENT', `exceed max ${what}`)
  }
  // A null among alternatives makes the whole position a wildcard (geth).
  if (list.includes(null)) return []
  return list.map(type.decode)
}

function decodeFilter(object: JsonObject): LogFilter {
  const { topics } = object
  const positions = topics === undefined || topics === null ? [] : asArray(topics, 'topics')
  if (positions.length > MAX_TOPICS) {
    throw new LockstepError('INVALID_ARGUMENT', 'exceed max topics')
  }
  return {
    addresses: alternatives(object.address, ADDRESS, 'addresses'),
    topics: positions.map((position) => alternatives(position, HASH, 'topics')),
  }
}

/** The filter of a `logs` subscription. */
export const LOG_FILTER: ParamType<LogFilter> = {
  label: 'log filter',
  decode: (value) => decodeFilter(asObject(value, 'a log filter')),
}

/** The filter object of eth_getLogs and eth_newFilter. */
export const LOG_QUERY: ParamType<LogQuery> = {
  label: 'log filter',
  decode: (value) => {
    const object = asObject(value, 'a log filter')
    const blockHash = member(object, 'blockHash', HASH)
    const fromBlock = member(object, 'fromBlock', BLOCK_NUMBER)
    const toBlock = member(object, 'toBlock', BLOCK_NUMBER)
    if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined)) {
      throw new LockstepError(
        'INVALID_ARGUMENT',
        'cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
      )
    }
    return {
      ...decodeFilter(object),
      blockHash,
      fromBlock: fromBlock ?? LATEST,
      toBlock: toBlock ?? LATEST,
    }
  },
}

/** Records of the matching logs of one block. */
export function matchingLogs(
  filter: LogFilter,
  header: BlockHeader,
  receipts: readonly Receipt[],
): unknown[] {
  const records: unknown[] = []
  let logIndex = 0
  receipts.forEach(({ logs, transactionHash }, transactionIndex) => {
    for (const log of logs) {
      if (matchesLog(filter, log)) {
        records.push(logRecord(log, { header, transactionHash, transactionIndex, logIndex }))
      }
      logIndex++
    }
  })
  return records
}
