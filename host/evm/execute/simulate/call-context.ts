import { LockstepError } from '../../../base/error.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { AccessListEntry } from '../../chain-types/transaction.ts'
import type { Run } from '../../engine/need.ts'
import type { Outcome, RejectionCode } from '../../engine/outcome.ts'
import type { TraceSink } from '../../engine/trace-event.ts'
import { type Account, decodeAccount, isContract } from '../../state/account.ts'
import type { StateView } from '../../state/view.ts'
import type { BlockEngine } from '../block-engine.ts'
import { rejectionText } from '../rejection-text.ts'
import type { CallMessage } from './call-message.ts'

/** One call and everything it needs. */
export interface CallContext extends CallMessage {
  readonly engine: BlockEngine
  readonly view: StateView
  readonly sender: Account
  readonly keccak256: Keccak256
}

/**
 * Runs the call with another gas limit and discards its changes.
 * @param capExecution true to limit execution gas as for a transaction
 */
export function runCall(
  context: CallContext,
  gas: bigint,
  accessList: readonly AccessListEntry[] = context.input.accessList,
  trace?: TraceSink,
  capExecution = true,
): Run<Outcome> {
  const { engine, input, priced } = context
  const isAsked = gas === input.gas && accessList === input.accessList
  const type = accessList.length > 0 && input.type === 0 ? 1 : input.type
  return engine.transact(
    isAsked && type === input.type ? input : { ...input, gas, accessList, type },
    {
      leniency: { skipSenderChecks: true, skipFees: !priced, capExecution },
      ...(trace !== undefined && { trace }),
      discard: true,
    },
  )
}

/** Returns the error for a call that the protocol rejects. */
export function rejectedCall(
  context: CallContext,
  code: RejectionCode,
  before: string,
  after: string,
): LockstepError {
  const text = rejectionText(code, context.input, context.env, context.sender, context.keccak256)
  return new LockstepError('TRANSACTION_REJECTED', `${before}${text}${after}`)
}

/** True if the account at `address` has code, its own or a delegation. */
export function hasCode(context: CallContext, address: Uint8Array): boolean {
  return isContract(decodeAccount(context.view.account(address)))
}
