import { formatData, formatQuantity } from '../../base/hex.ts'
import type { Log } from '../../chain-types/log.ts'
import type { LogPlace } from '../../chain-types/log-filter.ts'

/** A log as eth_getLogs, receipts and subscriptions show it. Only a development chain removes any. */
export function logRecord(log: Log, place: LogPlace): Record<string, unknown> {
  return {
    address: formatData(log.address),
    topics: log.topics.map(formatData),
    data: formatData(log.data),
    blockNumber: formatQuantity(place.header.number),
    transactionHash: formatData(place.transactionHash),
    transactionIndex: formatQuantity(place.transactionIndex),
    blockHash: formatData(place.header.hash),
    blockTimestamp: formatQuantity(place.header.timestamp),
    logIndex: formatQuantity(place.logIndex),
    removed: place.isRemoved === true,
  }
}
