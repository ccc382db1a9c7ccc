import { equalBytes } from '../../../base/bytes.ts'
import type { LmdbChainStore } from './lmdb-chain-store.ts'

/**
 * Compares the blocks from the lowest retained to the latest with one another and with the transaction index: every
 * reference between them must resolve. Yields descriptions of what is wrong.
 */
export function* chainInconsistencies(chain: LmdbChainStore): Generator<string, void> {
  const { earliest, latest } = chain
  if (earliest < 0) return
  for (let height = earliest; height <= latest; height++) {
    const block = chain.block(height)
    const receipts = chain.receipts(height)
    if (block === undefined || receipts === undefined) {
      yield `block ${height} is missing, of ${earliest} to ${latest}`
      continue
    }
    const { number, hash } = block.header
    if (number !== height) yield `block ${height} says it is block ${number}`
    if (hash.length > 0 && chain.heightOf(hash) !== height) {
      yield `the hash of block ${height} resolves to block ${chain.heightOf(hash)}`
    }
    if (receipts.length !== block.transactions.length) {
      yield `block ${height} has ${block.transactions.length} transactions and ${receipts.length} receipts`
    }
    for (const [index, { transactionHash }] of receipts.entries()) {
      const place = chain.locate(transactionHash)
      // A transaction that failed before it ran may be included again in a later block: the last one counts.
      if (place === undefined || place.height < height) {
        yield `transaction ${index} of block ${height} is not in the transaction index`
      }
    }
    const parent = height > earliest ? chain.header(height - 1)?.hash : undefined
    const { parentHash } = block.header
    if (height > 1 && parent !== undefined && !equalBytes(parent, parentHash)) {
      yield `block ${height} does not follow block ${height - 1}`
    }
  }
}
