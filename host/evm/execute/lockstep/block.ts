import { uniteBlooms } from '../../chain-types/bloom.ts'
import type { Receipt } from '../../chain-types/receipt.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import type { BlockEnv } from '../../engine/message.ts'
import type { Executed, Outcome, RejectionCode } from '../../engine/outcome.ts'
import type { StateDiff } from '../../engine/state-diff.ts'
import { answerFrom } from '../../state/answer.ts'
import type { StateView } from '../../state/view.ts'
import type { BlockEngine } from '../block-engine.ts'
import { receiptUnder } from '../receipt.ts'
import { transactNew } from '../transact.ts'
import { BEGIN_BLOCK } from './begin-block.ts'
import type { SpeculativeResults } from './speculative-results.ts'

/** Gas between two pauses of a block, about 10 ms of work. */
const PAUSE_GAS = 5_000_000n

/** Everything that executing a block needs. The engine is reserved for the block until it finishes. */
export interface ExecutionContext {
  readonly engine: BlockEngine
  /** State after the parent block. */
  readonly view: StateView
  readonly env: BlockEnv
  /** Yields to other work between transactions; until `until` settles if given. */
  readonly pause: (until?: Promise<unknown>) => Promise<void>
  /** Transactions that other engines execute speculatively. They do not change the outcome. */
  readonly speculative?: SpeculativeResults | undefined
}

/** Why a transaction was excluded from a block: rejected by the protocol, or not enough gas left. */
export type Exclusion = RejectionCode | 'blockFull'

/** An included transaction and its receipt. */
export interface Included {
  readonly transaction: Transaction
  readonly receipt: Receipt
  /**
   * Keccak-256 of the encoded receipt. It is part of the block's last results hash, with which a light client
   * verifies a receipt.
   */
  readonly receiptHash: Uint8Array
}

/** The executed transactions of a block, and the state changes. */
export interface BlockOutcome {
  readonly included: readonly Included[]
  readonly gasUsed: bigint
  readonly logsBloom: Uint8Array
  readonly diff: StateDiff
}

/** A block being executed. */
export interface BlockRun {
  readonly gasLeft: bigint
  /** Executes one transaction. Returns the reason if it is excluded, undefined if it is included. */
  add(transaction: Transaction): Exclusion | undefined
  /** Yields to other work if enough gas was used since the last time. */
  rest(): Promise<void>
  finish(): BlockOutcome
}

/** Applies a speculative result and returns its outcome; undefined if there is none or it does not fit here. */
function applySpeculative(
  { engine, speculative: ahead }: ExecutionContext,
  transaction: Transaction,
): Executed | undefined {
  const footprint = ahead?.take(transaction)
  if (footprint === undefined) return undefined
  const outcome = engine.applySet(footprint)
  ahead?.report(outcome !== undefined)
  return outcome
}

function executeInBlock(
  { engine, view, speculative: ahead }: ExecutionContext,
  transaction: Transaction,
): Outcome {
  const outcome = answerFrom(transactNew(engine, transaction), view)
  if (outcome.kind === 'executed') ahead?.ran(transaction)
  return outcome
}

/** Starts a block and makes its system calls. */
export function startBlock(context: ExecutionContext): BlockRun {
  const { engine, view, env } = context
  const included: Included[] = []
  let gasUsed = 0n
  let restedAt = 0n
  engine.beginBlock(env)
  for (const { to, data } of BEGIN_BLOCK) answerFrom(engine.systemCall(to, data), view)
  return {
    get gasLeft() {
      return env.gasLimit - gasUsed
    },
    add(transaction) {
      // The transaction's gas limit must fit, as in geth's gas pool.
      if (transaction.gas > env.gasLimit - gasUsed) return 'blockFull'
      const outcome = applySpeculative(context, transaction) ?? executeInBlock(context, transaction)
      if (outcome.kind === 'rejected') return outcome.code
      gasUsed += outcome.gasUsed
      const { hash: receiptHash, logsBloom } = engine.sealReceipt(transaction.type, gasUsed)
      const receipt = receiptUnder(logsBloom, transaction, outcome, gasUsed, env)
      included.push({ transaction, receipt, receiptHash })
      return undefined
    },
    async rest() {
      if (gasUsed - restedAt < PAUSE_GAS) return
      restedAt = gasUsed
      await context.pause()
    },
    finish: () => ({
      included,
      gasUsed,
      logsBloom: uniteBlooms(included.map(({ receipt }) => receipt.logsBloom)),
      diff: engine.diff(),
    }),
  }
}

/** An executed decided block. */
export interface ExecutedTransactions extends BlockOutcome {
  /** Reason for exclusion of each transaction; undefined if included. */
  readonly exclusions: readonly (Exclusion | undefined)[]
}

/** Executes the transactions of a decided block in order. */
export async function executeBlock(
  context: ExecutionContext,
  transactions: readonly Transaction[],
): Promise<ExecutedTransactions> {
  const run = startBlock(context)
  const exclusions: (Exclusion | undefined)[] = []
  for (const transaction of transactions) {
    exclusions.push(run.add(transaction))
    await run.rest()
  }
  return { ...run.finish(), exclusions }
}
