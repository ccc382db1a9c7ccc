import { timestampOf } from '../../../evm/chain-types/block.ts'
import type { Log } from '../../../evm/chain-types/log.ts'
import type { FoundLog, LogPosition } from '../../../evm/chain-types/log-filter.ts'
import { RpcJsonWriter } from './json-writer.ts'

/** Writes a log in the format of eth_getLogs, receipts and subscriptions. Only a development chain removes logs. */
export function writeLog(writer: RpcJsonWriter, log: Log, place: LogPosition): void {
  const { header } = place
  writer.json('{"address":')
  writer.data(log.address)
  let before = ',"topics":['
  for (const topic of log.topics) {
    writer.json(before)
    writer.data(topic)
    before = ','
  }
  writer.json(log.topics.length === 0 ? ',"topics":[],"data":' : '],"data":')
  writer.data(log.data)
  writer.json(',"blockNumber":')
  writer.quantity(header.number)
  writer.json(',"transactionHash":')
  writer.data(place.transactionHash)
  writer.json(',"transactionIndex":')
  writer.quantity(place.transactionIndex)
  writer.json(',"blockHash":')
  writer.dataOrNull(place.isPending === true ? undefined : header.hash)
  writer.json(',"blockTimestamp":')
  writer.quantity(timestampOf(header))
  writer.json(',"logIndex":')
  writer.quantity(place.logIndex)
  writer.json(place.isRemoved === true ? ',"removed":true}' : ',"removed":false}')
}

/** Writes a found log; a cached log is encoded once and then copied. */
export function writeFound(
  writer: RpcJsonWriter,
  { log, place, cachedJson: kept }: FoundLog,
): void {
  if (kept?.json !== undefined) {
    writer.raw(kept.json)
    return
  }
  const start = writer.length
  writeLog(writer, log, place)
  if (kept !== undefined) kept.json = writer.copy(start)
}

export function logText(log: Log, place: LogPosition): string {
  const writer = new RpcJsonWriter()
  writeLog(writer, log, place)
  return writer.takeText()
}

/** Returns a log as an object, for use within another. */
export function logRecord(log: Log, place: LogPosition): Record<string, unknown> {
  return JSON.parse(logText(log, place)) as Record<string, unknown>
}
