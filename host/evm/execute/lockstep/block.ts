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
import type { RunsAhead } from './runs-ahead.ts'

/** Gas between two pauses of a block: some 10 ms of work. */
const PAUSE_GAS = 5_000_000n

/** All that a block runs with. The engine belongs to the block until it is finished. */
export interface ExecutionContext {
  readonly engine: BlockEngine
  /** The state after the parent block. */
  readonly view: StateView
  readonly env: BlockEnv
  /** Lets other work of the process run between transactions, until something has come about where that is given. */
  readonly pause: (until?: Promise<unknown>) => Promise<void>
  /** What other engines run of the block meanwhile; the outcome is the same. */
  readonly ahead?: RunsAhead | undefined
}

/** Why a transaction is not in a block: refused by the protocol, or no gas is left for it. */
export type Exclusion = RejectionCode | 'blockFull'

/** A transaction of a block with its receipt. */
export interface Included {
  readonly transaction: Transaction
  readonly receipt: Receipt
  /**
   * Keccak-256 of the receipt's encoding. It enters the block's last results hash, by which a light
   * client can check a receipt.
   */
  readonly receiptHash: Uint8Array
}

/** The transactions of one block that ran, and the changes that they made. */
export interface BlockOutcome {
  readonly included: readonly Included[]
  readonly gasUsed: bigint
  readonly logsBloom: Uint8Array
  readonly diff: StateDiff
}

/** A block in progress. */
export interface BlockRun {
  readonly gasLeft: bigint
  /** Runs one transaction; returns why it is left out, or undefined when it stands in the block. */
  add(transaction: Transaction): Exclusion | undefined
  /** Lets other work run, if enough was done since the last time. */
  rest(): Promise<void>
  finish(): BlockOutcome
}

/** The outcome of a transaction that ran ahead and would do here what it did there; undefined for any other. */
function adoptAhead(
  { engine, ahead }: ExecutionContext,
  transaction: Transaction,
): Executed | undefined {
  const footprint = ahead?.take(transaction)
  if (footprint === undefined) return undefined
  const outcome = engine.adopt(footprint)
  ahead?.settle(outcome !== undefined)
  return outcome
}

function runInTurn({ engine, view, ahead }: ExecutionContext, transaction: Transaction): Outcome {
  const outcome = answerFrom(transactNew(engine, transaction), view)
  if (outcome.kind === 'executed') ahead?.ran(transaction)
  return outcome
}

/** Starts a block: the engine forgets the one before. */
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
      // A block holds no more gas than its transactions may use, as in geth's gas pool.
      if (transaction.gas > env.gasLimit - gasUsed) return 'blockFull'
      const outcome = adoptAhead(context, transaction) ?? runInTurn(context, transaction)
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

/** A decided block that ran. */
export interface ExecutedTransactions extends BlockOutcome {
  /** For each of its transactions why it was left out, or undefined. */
  readonly exclusions: readonly (Exclusion | undefined)[]
}

/** Runs the transactions of a decided block in order. */
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
