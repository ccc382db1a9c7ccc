import type { Receipt } from '../../../evm/chain-types/receipt.ts'
import type { TxResult } from '../application.ts'
import type { ChainEvent } from './chain-event.ts'
import { transactionEvents } from './transaction-events.ts'

/** Codespace of transaction codes. */
export const TRANSACTION_CODESPACE = 'evm'

/** A transaction of a block with its outcome. */
export interface TransactionOutcome {
  readonly raw: Uint8Array
  readonly result: TxResult
  /** Undefined if the transaction was invalid in the block. */
  readonly receipt: Receipt | undefined
}

/** A transaction that did not run has no receipt and so no receipt hash as its data. */
function hasRun({ data }: TxResult): boolean {
  return data.length > 0
}

/**
 * Returns the transactions of a block, each with its result and receipt.
 * @param receipts of the transactions that ran, in order
 */
export function pairResults(
  transactions: readonly Uint8Array[],
  results: readonly TxResult[],
  receipts: readonly Receipt[],
): readonly TransactionOutcome[] {
  let at = 0
  return transactions.map((raw, i) => {
    const result = results[i] as TxResult
    return { raw, result, receipt: hasRun(result) ? receipts[at++] : undefined }
  })
}

export function eventsOf({ raw, receipt }: TransactionOutcome): readonly ChainEvent[] {
  return receipt === undefined ? [] : transactionEvents(raw, receipt)
}

/** Returns why a transaction failed; empty if it succeeded. */
export function logOf({ result, receipt }: TransactionOutcome): string {
  if (receipt === undefined) return 'the transaction did not run: it was not valid in the block'
  return result.code === 0 ? '' : 'execution failed'
}

export function codespaceOf(code: number): string {
  return code === 0 ? '' : TRANSACTION_CODESPACE
}
