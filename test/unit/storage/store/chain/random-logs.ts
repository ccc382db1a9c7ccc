import { logsBloom, uniteBlooms } from '../../../../../host/evm/chain-types/bloom.ts'
import type { Log } from '../../../../../host/evm/chain-types/log.ts'
import type { LogFilter } from '../../../../../host/evm/chain-types/log-filter.ts'
import type { Receipt } from '../../../../../host/evm/chain-types/receipt.ts'
import type { BlockRecord } from '../../../../../host/storage/store/codec/block-record.ts'
import { keccak256 } from '../../../../support/chain/fake-chain.ts'
import { address, blockRecord, slot } from './block-records.ts'

/** Few distinct values, so that filters match logs. Topic values are the same at every position. */
const ADDRESSES = 5
const TOPICS = 6

type Random = () => number

function below(random: Random, limit: number): number {
  return Math.floor(random() * limit)
}

function many<Value>(count: number, make: (i: number) => Value): Value[] {
  return Array.from({ length: count }, (_, i) => make(i))
}

function randomLog(random: Random): Log {
  return {
    address: address(below(random, ADDRESSES)),
    topics: many(below(random, 5), () => slot(below(random, TOPICS))),
    data: new Uint8Array(below(random, 40)),
  }
}

/** Returns lists of logs, one per receipt. Two of three blocks have no logs. */
export function randomLogs(random: Random): Log[][] {
  if (random() < 0.65) return many(below(random, 3), () => [])
  return many(1 + below(random, 3), () => many(below(random, 3), () => randomLog(random)))
}

/** Returns a block at `height` whose receipts have these logs, with matching blooms. */
export function loggedBlock(height: number, logs: readonly (readonly Log[])[]): BlockRecord {
  const record = blockRecord(height, {}, logs.length)
  const { block } = record.executed
  const receipts: Receipt[] = record.executed.receipts.map((receipt, i) => ({
    ...receipt,
    logs: logs[i] ?? [],
    logsBloom: logsBloom(logs[i] ?? [], keccak256),
  }))
  const header = {
    ...block.header,
    logsBloom: uniteBlooms(receipts.map((receipt) => receipt.logsBloom)),
  }
  return { ...record, executed: { ...record.executed, block: { ...block, header }, receipts } }
}

/** Returns a filter with wildcards, single values, alternatives, and values that occur in no log. */
export function randomFilter(random: Random): LogFilter {
  const some = (count: number, make: (n: number) => Uint8Array): Uint8Array[] =>
    random() < 0.4 ? [] : many(1 + below(random, 3), () => make(below(random, count + 1)))
  return {
    addresses: some(ADDRESSES, address),
    topics: many(below(random, 5), () => some(TOPICS, slot)),
  }
}
