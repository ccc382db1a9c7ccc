import { LockstepError } from '../../../base/error.ts'
import { logsDigest } from '../../chain-types/log.ts'
import type { Receipt } from '../../chain-types/receipt.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import { decodeSigned } from '../../chain-types/transaction-codec.ts'
import type { BlockEnv, Leniency } from '../../engine/message.ts'
import type { TransactOptions } from '../../engine/options.ts'
import type { TraceSink } from '../../engine/trace-event.ts'
import type { SystemCall } from '../block-engine.ts'
import type { ChainRules } from '../chain-rules.ts'
import { type History, knownHeader } from '../history.ts'
import { minedLeniency } from '../transact.ts'

/** Parts of a receipt, besides its gas, that a replay must match. */
export interface PlannedOutcome {
  /** Undefined before Byzantium, when receipts had no status. */
  readonly success: boolean | undefined
  /** Digest of the logs (`logsDigest`). */
  readonly logs: number
}

/** A transaction of a finished block, and its original outcome. */
export interface PlannedTransaction {
  readonly transaction: Transaction
  readonly gasUsed: bigint
  /** Absent in a bundle, which contains the receipt itself. */
  readonly outcome?: PlannedOutcome
  /** Checks to skip for an edited transaction. By default they follow from the signature. */
  readonly leniency?: Leniency
}

/** Returns the options for a planned transaction. */
export function plannedOptions(
  { transaction, leniency = minedLeniency(transaction) }: PlannedTransaction,
  trace?: TraceSink,
): TransactOptions {
  return { ...(trace && { trace }), ...(leniency && { leniency }) }
}

/** What precedes the first transaction of a plan in its block. */
export interface PlanStart {
  /** Index of the first transaction in the block. */
  readonly index: number
  /** Number of logs of the transactions before it. */
  readonly logIndex: number
  readonly cumulativeGasUsed: bigint
}

export const BLOCK_START: PlanStart = { index: 0, logIndex: 0, cumulativeGasUsed: 0n }

/**
 * Everything a replay needs except the parent's state. Plain data that can be sent to another thread or written to a
 * file.
 */
export interface ReplayPlan {
  readonly height: number
  readonly blockHash: Uint8Array
  /** True for the pending block: its hash is undecided, and the state before it may still change. */
  readonly isPending?: true
  readonly env: BlockEnv
  /** System calls before the first transaction, in order. */
  readonly systemCalls: readonly SystemCall[]
  readonly transactions: readonly PlannedTransaction[]
  /** Present if the plan omits the block's first transactions. Its state is then the one after them. */
  readonly first?: PlanStart
}

/** The chain for which plans are made. */
export interface PlanContext {
  readonly history: Pick<History, 'header' | 'block' | 'receipts'>
  readonly rules: ChainRules
  readonly keccak256: Keccak256
}

function outcomeOf({ status, stateRoot, logs }: Receipt): PlannedOutcome {
  const success = stateRoot === undefined ? status === 1 : undefined
  return { success, logs: logsDigest(logs) }
}

/** Decodes a transaction of a finished block. The sender comes from the receipt, without recovering the signature. */
export function planTransaction(
  raw: Uint8Array,
  { from, gasUsed }: Pick<Receipt, 'from' | 'gasUsed'>,
  keccak256: Keccak256,
): PlannedTransaction {
  return { transaction: { ...decodeSigned(raw, keccak256), from }, gasUsed }
}

/**
 * Returns the replay plan of block `height` with its first `count` transactions; all by default.
 * @throws NOT_FOUND, STATE_PRUNED; UNSUPPORTED for the genesis block.
 */
export function planReplay(
  { history, rules, keccak256 }: PlanContext,
  height: number,
  count = Number.POSITIVE_INFINITY,
): ReplayPlan {
  if (height === 0) throw new LockstepError('UNSUPPORTED', 'genesis is not traceable')
  const header = knownHeader(history, height)
  const block = history.block(height)
  const receipts = history.receipts(height)
  if (block === undefined || receipts === undefined) {
    throw new LockstepError('NOT_FOUND', `block #${height} not found`)
  }
  const transactions = block.transactions.slice(0, count).map((raw, index) => {
    const receipt = receipts[index] as Receipt
    return { ...planTransaction(raw, receipt, keccak256), outcome: outcomeOf(receipt) }
  })
  return {
    height,
    blockHash: header.hash,
    env: rules.envOf(header),
    systemCalls: rules.systemCallsOf(header),
    transactions,
  }
}
