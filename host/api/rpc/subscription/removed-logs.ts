import {
  bloomTest,
  type FoundLog,
  type LogFilter,
  matchingLogs,
} from '../../../evm/chain-types/log-filter.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import type { ChainStore } from '../../../storage/store/chain/chain-store.ts'

/** A chain whose latest blocks are about to be removed. */
export type CutChain = Pick<ChainStore, 'latest' | 'header' | 'receipts'>

/** Maximum logs of removed blocks reported to one filter or subscription. */
const MAX_REMOVED = 10_000

/** Returns the matching logs of the blocks from `first` to `last`, which are about to be removed. */
export function removedLogs(
  chain: CutChain,
  filter: LogFilter,
  first: number,
  last: number,
  keccak256: Keccak256,
): FoundLog[] {
  const mayMatch = bloomTest(filter, keccak256)
  const found: FoundLog[] = []
  for (let height = first; height <= last; height++) {
    const header = chain.header(height)
    if (header === undefined || !mayMatch(header.logsBloom)) continue
    for (const { log, place } of matchingLogs(filter, header, chain.receipts(height) ?? [])) {
      found.push({ log, place: { ...place, isRemoved: true } })
    }
    if (found.length > MAX_REMOVED) return found.slice(0, MAX_REMOVED)
  }
  return found
}
