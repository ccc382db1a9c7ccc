import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { merkleProof } from '../../../chain/consensus/comet/merkle.ts'
import { sha256 } from '../../../chain/consensus/comet/sha256.ts'
import type { TransactionOutcome } from '../../../chain/consensus/events/executed-transaction.ts'
import type { IndexedPosition } from '../../transaction-index/hash-rows.ts'
import type { RouteArguments } from './arguments.ts'
import type { ConsensusRpcContext, SearchIndex } from './context.ts'
import { formatBytes, formatHash } from './json.ts'
import { executedJson, executedTransactions } from './transaction-result.ts'

/** Returns CometBFT's `TxProof`: a proof that the data hash of a block covers a transaction. */
function proofJson(
  { blockStore }: ConsensusRpcContext,
  height: number,
  all: readonly TransactionOutcome[],
  index: number,
): object {
  const { total, leafHash, aunts } = merkleProof(
    all.map(({ raw }) => sha256(raw)),
    index,
  )
  const dataHash = blockStore.block(height)?.block.header.dataHash ?? EMPTY_BYTES
  return {
    root_hash: formatHash(dataHash),
    data: formatBytes(all[index]?.raw ?? EMPTY_BYTES),
    proof: {
      total: String(total),
      index: String(index),
      leaf_hash: formatBytes(leafHash),
      aunts: aunts.map(formatBytes),
    },
  }
}

/** Returns a transaction of a block with its result, and optionally its proof. */
export function transactionJson(
  context: ConsensusRpcContext,
  { height, index }: IndexedPosition,
  prove: boolean,
): object {
  const all = executedTransactions(context, height)
  // The index counts executed transactions; in the block, others may precede them.
  let ran = -1
  const at = all.findIndex(({ receipt }) => receipt !== undefined && ++ran === index)
  const transaction = all[at]
  if (transaction === undefined) {
    throw new LockstepError('NOT_FOUND', `block ${height} has no transaction ${index}`)
  }
  const { raw } = transaction
  return {
    hash: formatHash(sha256(raw)),
    height: String(height),
    index: at,
    tx_result: executedJson(transaction),
    tx: formatBytes(raw),
    ...(prove && { proof: proofJson(context, height, all, at) }),
  }
}

/** @throws UNSUPPORTED with CometBFT's message */
export function indexOf(
  { index }: ConsensusRpcContext,
  what: 'transaction' | 'block',
): SearchIndex {
  if (index !== undefined) return index
  throw new LockstepError(
    'UNSUPPORTED',
    `${what} indexing is disabled: set tx-index.indexer = "kv" in config.toml`,
  )
}

/** Handles /tx: `hash` is the SHA-256 of the transaction or its EVM hash. */
export async function transaction(
  context: ConsensusRpcContext,
  args: RouteArguments,
): Promise<object> {
  const index = indexOf(context, 'transaction')
  const hash = args.hash('hash')
  const place = context.executed.locate(hash) ?? (await index.find(hash))
  if (place === undefined) {
    throw new LockstepError('NOT_FOUND', `tx (${formatHash(hash)}) not found`)
  }
  return transactionJson(context, place, args.boolean('prove'))
}
