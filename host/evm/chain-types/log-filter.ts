import { equalBytes } from '../../base/bytes.ts'
import type { BlockHeader } from './block.ts'
import { type BloomBits, bloomBits, hasBits } from './bloom.ts'
import type { Log } from './log.ts'
import type { Receipt } from './receipt.ts'
import type { Keccak256 } from './signature-recovery.ts'

/** The logs that are wanted. An empty list lets every log pass. */
export interface LogFilter {
  /** 20 bytes each. */
  readonly addresses: readonly Uint8Array[]
  /** For each position the topics, one of which must stand there; 32 bytes each. */
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
 * A test of blooms that is false when no log under the bloom can match. It hashes an item when first
 * needed, and once.
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

/** The position of a log. `logIndex` counts through the whole block. */
export interface LogPlace {
  readonly header: Pick<BlockHeader, 'number' | 'hash' | 'timestamp'>
  readonly transactionHash: Uint8Array
  readonly transactionIndex: number
  readonly logIndex: number
  /** Its block has been removed from the chain since. */
  readonly isRemoved?: true
}

/** A log that a filter lets through, with its place. */
export interface FoundLog {
  readonly log: Log
  readonly place: LogPlace
  /** Where the log is kept for further searches: its JSON once it was written, ASCII. */
  readonly kept?: { json: Uint8Array | undefined }
}

/** The matching logs of one block. */
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
