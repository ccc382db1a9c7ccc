import { equalBytes } from '../../base/bytes.ts'
import type { BlockHeader } from './block.ts'
import { type BloomBits, bloomBits, hasBits } from './bloom.ts'
import type { Log } from './log.ts'
import type { Receipt } from './receipt.ts'
import type { Keccak256 } from './signature-recovery.ts'

/** Selects logs. An empty list matches every log. */
export interface LogFilter {
  /** 20 bytes each. */
  readonly addresses: readonly Uint8Array[]
  /** Alternatives for each topic position, of which one must match; 32 bytes each. */
  readonly topics: readonly (readonly Uint8Array[])[]
}

export function matchesLog({ addresses, topics }: LogFilter, log: Log): boolean {
  if (addresses.length > 0 && !addresses.some((address) => equalBytes(address, log.address))) {
    return false
  }
  if (topics.length > log.topics.length) return false
  return topics.every(
    (wanted, i) =>
      wanted.length === 0 || wanted.some((topic) => equalBytes(topic, log.topics[i] as Uint8Array)),
  )
}

/**
 * Returns a predicate on blooms that is false if no log under the bloom can match. Each item is hashed once, when
 * first needed.
 */
export function bloomTest(
  { addresses, topics }: LogFilter,
  keccak256: Keccak256,
): (bloom: Uint8Array) => boolean {
  const criteria = [addresses, ...topics].filter((wanted) => wanted.length > 0)
  const known = new Map<Uint8Array, BloomBits>()
  const mayHold = (bloom: Uint8Array, item: Uint8Array): boolean => {
    let bits = known.get(item)
    if (bits === undefined) {
      bits = bloomBits(item, keccak256)
      known.set(item, bits)
    }
    return hasBits(bloom, bits)
  }
  return (bloom) => criteria.every((wanted) => wanted.some((item) => mayHold(bloom, item)))
}

/** Position of a log. `logIndex` counts within the block. */
export interface LogPosition {
  readonly header: Pick<BlockHeader, 'number' | 'hash' | 'timestamp' | 'ethereum'>
  readonly transactionHash: Uint8Array
  readonly transactionIndex: number
  readonly logIndex: number
  /** True if its block has been removed from the chain since. */
  readonly isRemoved?: true
  /** True in the pending block, which has no hash yet. */
  readonly isPending?: true
}

/** A log that matches a filter, with its position. */
export interface FoundLog {
  readonly log: Log
  readonly place: LogPosition
  /** Cache slot for the log's JSON (ASCII), shared by later searches; undefined until first written. */
  readonly cachedJson?: { json: Uint8Array | undefined }
}

/** Yields the matching logs of one block. */
export function* matchingLogs(
  filter: LogFilter,
  header: BlockHeader,
  receipts: readonly Receipt[],
): Generator<FoundLog> {
  let logIndex = 0
  for (const [transactionIndex, { logs, transactionHash }] of receipts.entries()) {
    for (const log of logs) {
      if (matchesLog(filter, log)) {
        yield { log, place: { header, transactionHash, transactionIndex, logIndex } }
      }
      logIndex++
    }
  }
}
