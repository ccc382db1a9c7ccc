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

/** The parts of a receipt, beside its gas, that a replay is compared with. */
export interface PlannedOutcome {
  /** Undefined before Byzantium, when receipts did not say. */
  readonly success: boolean | undefined
  /** Digest of the logs (`logsDigest`). */
  readonly logs: number
}

/** A transaction of a finished block, and the outcome of its first run. */
export interface PlannedTransaction {
  readonly transaction: Transaction
  readonly gasUsed: bigint
  /** Absent in a bundle, which holds the receipt itself. */
  readonly outcome?: PlannedOutcome
  /** Rules lifted for a transaction that was changed; those of one of a block follow from its signature. */
  readonly leniency?: Leniency
}

/** How a transaction of a plan is run. */
export function plannedOptions(
  { transaction, leniency = minedLeniency(transaction) }: PlannedTransaction,
  trace?: TraceSink,
): TransactOptions {
  return { ...(trace && { trace }), ...(leniency && { leniency }) }
}

/** The part of a block before the first transaction of a plan. */
export interface PlanStart {
  /** Place of the first transaction in the block. */
  readonly index: number
  /** Logs of the transactions before it. */
  readonly logIndex: number
  readonly cumulativeGasUsed: bigint
}

export const BLOCK_START: PlanStart = { index: 0, logIndex: 0, cumulativeGasUsed: 0n }

/**
 * All that running a finished block again takes, but the state after its parent. Plain data: it can be
 * sent to another thread or written to a file.
 */
export interface ReplayPlan {
  readonly height: number
  readonly blockHash: Uint8Array
  readonly env: BlockEnv
  /** The protocol's calls before the first transaction, in order. */
  readonly systemCalls: readonly SystemCall[]
  readonly transactions: readonly PlannedTransaction[]
  /** Present where the plan leaves out the block's first transactions: its state is the one after them. */
  readonly first?: PlanStart
}

/** The chain that plans are made from. */
export interface PlanContext {
  readonly history: Pick<History, 'header' | 'block' | 'receipts'>
  readonly rules: ChainRules
  readonly keccak256: Keccak256
}

function outcomeOf({ status, stateRoot, logs }: Receipt): PlannedOutcome {
  const success = stateRoot === undefined ? status === 1 : undefined
  return { success, logs: logsDigest(logs) }
}

/** A transaction of a finished block. The receipt names the sender: no signature is recovered a second time. */
export function planTransaction(
  raw: Uint8Array,
  { from, gasUsed }: Pick<Receipt, 'from' | 'gasUsed'>,
  keccak256: Keccak256,
): PlannedTransaction {
  return { transaction: { ...decodeSigned(raw, keccak256), from }, gasUsed }
}

/**
 * The plan of block `height` with its first `count` transactions, all by default.
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
