import { LockstepError } from '../../../base/error.ts'
import type { ChainEvent } from '../../../chain/consensus/events/chain-event.ts'
import {
  codespaceOf,
  eventsOf,
  logOf,
  pairResults,
  type TransactionOutcome,
} from '../../../chain/consensus/events/executed-transaction.ts'
import type { ConsensusRpcContext } from './context.ts'
import { formatBytes } from './json.ts'

/** The mempool's check of a transaction: code 0 with its gas, or code 1 with the violated rule. */
export interface MempoolCheckResult {
  readonly code: number
  readonly log: string
  readonly gasWanted: bigint
}

interface ResultFields {
  readonly code: number
  readonly data?: Uint8Array
  readonly log: string
  readonly gasWanted: bigint
  readonly gasUsed: bigint
  readonly events: readonly ChainEvent[]
}

/** `ExecTxResult` and `ResponseCheckTx` have the same fields. */
function resultJson({ code, data, log, gasWanted, gasUsed, events }: ResultFields): object {
  return {
    code,
    data: data === undefined || data.length === 0 ? null : formatBytes(data),
    log,
    info: '',
    gas_wanted: String(gasWanted),
    gas_used: String(gasUsed),
    events,
    codespace: codespaceOf(code),
  }
}

export function checkResultJson({ code, log, gasWanted }: MempoolCheckResult): object {
  return resultJson({ code, log, gasWanted, gasUsed: 0n, events: [] })
}

/** The result of a transaction that no block includes. */
export const NO_RESULT: object = resultJson({
  code: 0,
  log: '',
  gasWanted: 0n,
  gasUsed: 0n,
  events: [],
})

/** Returns the transactions of a block with their receipts, which are read if not given. */
export function executedTransactions(
  { blockStore, executed }: ConsensusRpcContext,
  height: number,
  receipts = executed.receipts(height),
): readonly TransactionOutcome[] {
  const results = blockStore.results(height)
  const transactions = blockStore.block(height)?.block.transactions
  if (results === undefined || transactions === undefined || receipts === undefined) {
    throw new LockstepError('NOT_FOUND', `could not find results for height #${height}`)
  }
  return pairResults(transactions, results, receipts)
}

export function executedJson(
  executed: TransactionOutcome,
  events: readonly ChainEvent[] = eventsOf(executed),
): object {
  return resultJson({ ...executed.result, log: logOf(executed), events })
}

/** Returns the result of one transaction of a block. */
export function transactionResultJson(
  context: ConsensusRpcContext,
  height: number,
  index: number,
): object {
  const executed = executedTransactions(context, height)[index]
  if (executed === undefined) {
    throw new LockstepError('NOT_FOUND', `block ${height} has no transaction ${index}`)
  }
  return executedJson(executed)
}
