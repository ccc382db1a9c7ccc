import { isImpersonated } from '../chain-types/impersonation.ts'
import type { Transaction } from '../chain-types/transaction.ts'
import type { Engine } from '../engine/engine.ts'
import type { Leniency } from '../engine/message.ts'
import type { Run } from '../engine/need.ts'
import type { TransactOptions } from '../engine/options.ts'
import type { Outcome } from '../engine/outcome.ts'

const MAY_BE_CONTRACT: Leniency = { skipSenderChecks: true, skipFees: false }

/**
 * The rules lifted for a transaction of a finished block: a development chain lets contracts send (EIP-3607 forbids
 * it) where the transaction is impersonated. What else is lifted held when the transaction ran for the first time.
 */
export function minedLeniency(transaction: Transaction): Leniency | undefined {
  return isImpersonated(transaction) ? MAY_BE_CONTRACT : undefined
}

/** Runs a transaction that may enter a block; an impersonated one also where its sender has code. */
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
  // The nonce has been found right by then, and whoever fills a block looks at its gas.
  return yield* engine.transact(transaction, { ...options, leniency: MAY_BE_CONTRACT })
}
