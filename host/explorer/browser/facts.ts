import { formatData, type Hex } from '../../base/hex.ts'
import type { Revision } from '../../evm/chain-types/revision.ts'
import type { Transaction, TransactionType } from '../../evm/chain-types/transaction.ts'
import type { BlockEnv } from '../../evm/engine/message.ts'
import { BLOCK_START, type PlannedTransaction } from '../../evm/execute/replay/replay-plan.ts'
import type { Bundle } from '../../evm/trace/bundle/bundle.ts'

/** The facts of a bundle that are known before it runs. */
export interface BundleFacts {
  /** SHA-256 of the engine.wasm that recorded it: 64 hex digits. */
  readonly engineHash: string
  readonly scope: 'transaction' | 'block'
  readonly block: BlockFacts
  /** In the order of the block. */
  readonly transactions: readonly TransactionFacts[]
  /** False if a bundle has only receipts: one from a node that `lockstep record` has not completed. */
  readonly hasSteps: boolean
}

/** The block of the transactions. */
export interface BlockFacts {
  readonly hash: Hex
  readonly number: number
  /** Seconds since 1970. */
  readonly timestamp: bigint
  readonly revision: Revision
  readonly chainId: bigint
  readonly gasLimit: bigint
  readonly baseFee: bigint
  readonly coinbase: Hex
  readonly prevRandao: Hex
  readonly blobBaseFee: bigint
}

/** A transaction as signed, and its recorded gas. */
export interface TransactionFacts {
  readonly hash: Hex
  /** Its index in the block. */
  readonly index: number
  readonly type: TransactionType
  readonly from: Hex
  /** Undefined for a contract creation. */
  readonly to: Hex | undefined
  readonly nonce: bigint
  readonly gas: bigint
  /** Wei; the gas price of types 0 and 1. */
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly value: bigint
  readonly input: Hex
  readonly gasUsed: bigint
}

/** @internal */
export function bundleFacts({ engineHash, scope, plan, outcomes }: Bundle): BundleFacts {
  const { index } = plan.first ?? BLOCK_START
  return {
    engineHash,
    scope,
    block: blockFacts(plan.env, plan.blockHash),
    transactions: plan.transactions.map((planned, at) => transactionFacts(planned, index + at)),
    hasSteps: outcomes.every(({ digests }) => digests !== undefined),
  }
}

function blockFacts(env: BlockEnv, hash: Uint8Array): BlockFacts {
  const { number, timestamp, revision, chainId, gasLimit, baseFee, blobBaseFee } = env
  return {
    hash: formatData(hash),
    number,
    timestamp: BigInt(timestamp),
    revision,
    chainId,
    gasLimit,
    baseFee,
    coinbase: formatData(env.coinbase),
    prevRandao: formatData(env.prevRandao),
    blobBaseFee,
  }
}

function transactionFacts(
  { transaction, gasUsed }: PlannedTransaction,
  index: number,
): TransactionFacts {
  const { type, nonce, gas, maxFeePerGas, maxPriorityFeePerGas, value }: Transaction = transaction
  return {
    hash: formatData(transaction.hash),
    index,
    type,
    from: formatData(transaction.from),
    to: transaction.to && formatData(transaction.to),
    nonce,
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas,
    value,
    input: formatData(transaction.data),
    gasUsed,
  }
}
