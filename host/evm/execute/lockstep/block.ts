import { concatBytes } from '../../../base/bytes.ts'
import type { LockstepError } from '../../../base/error.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import type { BatchOutcome, Exclusion, PackedResults } from '../../engine/batch.ts'
import type { BlockEnv } from '../../engine/message.ts'
import type { StateDiff } from '../../engine/state-diff.ts'
import { answerFrom } from '../../state/answer.ts'
import type { StateView } from '../../state/view.ts'
import type { BlockEngine } from '../block-engine.ts'
import { BEGIN_BLOCK } from './begin-block.ts'
import type { SpeculativeResults } from './speculative-results.ts'

/** Gas between two pauses of a block, about 10 ms of work, and the most gas limits of a batch. */
export const PAUSE_GAS = 5_000_000n

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

/** The executed transactions of a block, and the state changes. */
export interface BlockOutcome extends PackedResults {
  /** The included transactions. */
  readonly included: readonly Transaction[]
  readonly gasUsed: bigint
  readonly logsBloom: Uint8Array
  readonly diff: StateDiff
}

/** What became of transactions that were given to a block. */
export interface BatchExclusions {
  /** Why each was excluded; undefined if included. Ends before the first that was not executed. */
  readonly exclusions: readonly (Exclusion | undefined)[]
  /** The error that ended the execution: the next transaction exhausted the engine, and has no effect. */
  readonly fault: LockstepError | undefined
}

/** A block being executed. */
export interface BlockRun {
  readonly gasLeft: bigint
  /** Executes transactions in order. */
  add(transactions: readonly Transaction[]): BatchExclusions
  /** Yields to other work if enough gas was used since the last time. */
  rest(): Promise<void>
  finish(): BlockOutcome
}

/** Applies the first transaction's speculative result; undefined if there is none or it does not fit here. */
function applySpeculative(
  { engine, speculative }: ExecutionContext,
  transaction: Transaction,
): BatchOutcome | undefined {
  const footprint = speculative?.take(transaction)
  if (footprint === undefined) return undefined
  const isApplied = engine.applySet(footprint) !== undefined
  speculative?.report(isApplied)
  return isApplied ? engine.includeApplied(transaction) : undefined
}

/** Executes a transaction unless a speculative result of it can be applied. */
function executeOne(
  context: ExecutionContext,
  transaction: Transaction,
  gasLeft: bigint,
): BatchOutcome {
  const { engine, view, speculative } = context
  const applied = transaction.gas > gasLeft ? undefined : applySpeculative(context, transaction)
  if (applied !== undefined) return applied
  const outcome = answerFrom(engine.executeBatch([transaction]), view)
  if (outcome.included === 1) speculative?.ran(transaction)
  return outcome
}

/** Starts a block and makes its system calls. */
export function startBlock(context: ExecutionContext): BlockRun {
  const { engine, view, env, speculative } = context
  const included: Transaction[] = []
  const parts: PackedResults[] = []
  let gasUsed = 0n
  let restedAt = 0n
  engine.beginBlock(env)
  for (const { to, data } of BEGIN_BLOCK) answerFrom(engine.systemCall(to, data), view)

  const execute = (transactions: readonly Transaction[]): BatchOutcome => {
    const [first] = transactions as [Transaction]
    // Each is asked for when the block reaches it
    if (speculative !== undefined) return executeOne(context, first, env.gasLimit - gasUsed)
    return answerFrom(engine.executeBatch(transactions), view)
  }
  return {
    get gasLeft() {
      return env.gasLimit - gasUsed
    },
    add(transactions) {
      const exclusions: (Exclusion | undefined)[] = []
      while (exclusions.length < transactions.length) {
        const rest = exclusions.length === 0 ? transactions : transactions.slice(exclusions.length)
        const outcome = execute(rest)
        for (const [i, exclusion] of outcome.exclusions.entries()) {
          exclusions.push(exclusion)
          if (exclusion === undefined) included.push(rest[i] as Transaction)
        }
        gasUsed = outcome.gasUsed
        if (outcome.included > 0) parts.push(outcome)
        if (outcome.fault !== undefined) return { exclusions, fault: outcome.fault }
      }
      return { exclusions, fault: undefined }
    },
    async rest() {
      if (gasUsed - restedAt < PAUSE_GAS) return
      restedAt = gasUsed
      await context.pause()
    },
    finish: () => ({
      included,
      hashes: concatBytes(parts.map(({ hashes }) => hashes)),
      results: concatBytes(parts.map(({ results }) => results)),
      receipts: concatBytes(parts.map(({ receipts }) => receipts)),
      gasUsed,
      logsBloom: engine.blockBloom(),
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
  for (const batch of batchesOf(transactions)) {
    const added = run.add(batch)
    if (added.fault !== undefined) throw added.fault
    exclusions.push(...added.exclusions)
    await run.rest()
  }
  return { ...run.finish(), exclusions }
}

/** Splits transactions so that the gas limits of each part allow a pause in time. */
function* batchesOf(transactions: readonly Transaction[]): Generator<readonly Transaction[]> {
  let start = 0
  let gas = 0n
  for (const [i, transaction] of transactions.entries()) {
    gas += transaction.gas
    if (i === start || gas <= PAUSE_GAS) continue
    yield transactions.slice(start, i)
    start = i
    gas = transaction.gas
  }
  if (start < transactions.length) yield transactions.slice(start)
}
