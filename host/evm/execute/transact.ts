import { isImpersonated } from '../chain-types/impersonation.ts'
import type { Transaction } from '../chain-types/transaction.ts'
import type { Engine } from '../engine/engine.ts'
import type { Leniency } from '../engine/message.ts'
import type { Run } from '../engine/need.ts'
import type { TransactOptions } from '../engine/options.ts'
import type { Outcome } from '../engine/outcome.ts'

const MAY_BE_CONTRACT: Leniency = { skipSenderChecks: true, skipFees: false }

/**
 * Returns the checks to skip for a transaction of a finished block. On a development chain contracts may send
 * impersonated transactions, which EIP-3607 forbids. The other skipped checks passed when the transaction first ran.
 */
export function minedLeniency(transaction: Transaction): Leniency | undefined {
  return isImpersonated(transaction) ? MAY_BE_CONTRACT : undefined
}

/** Executes a transaction that may enter a block. An impersonated one may have a sender with code. */
export function transactNew(
  engine: Pick<Engine, 'transact'>,
  transaction: Transaction,
  options: TransactOptions = {},
): Run<Outcome> {
  if (!isImpersonated(transaction)) return engine.transact(transaction, options)
  return transactImpersonated(engine, transaction, options)
}

function* transactImpersonated(
  engine: Pick<Engine, 'transact'>,
  transaction: Transaction,
  options: TransactOptions,
): Run<Outcome> {
  const outcome = yield* engine.transact(transaction, options)
  if (outcome.kind !== 'rejected' || outcome.code !== 'senderHasCode') return outcome
  // The nonce check has already passed, and the block builder checks the gas.
  return yield* engine.transact(transaction, { ...options, leniency: MAY_BE_CONTRACT })
}
