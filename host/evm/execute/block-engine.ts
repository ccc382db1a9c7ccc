import type { Engine } from '../engine/engine.ts'
import { isContract } from '../state/account.ts'
import { answerFrom } from '../state/answer.ts'
import type { StateFork } from '../state/state-fork.ts'

/** The engine methods that execute transactions and recover signers. */
export type BlockEngine = Pick<
  Engine,
  | 'beginBlock'
  | 'transact'
  | 'systemCall'
  | 'diff'
  | 'accessList'
  | 'readWriteSet'
  | 'applySet'
  | 'includeApplied'
  | 'executeBatch'
  | 'blockBloom'
  | 'isUsable'
  | 'keccak256'
  | 'recoverAddress'
  | 'forgetCode'
>

/** A system call (EIP-4788, EIP-2935). */
export interface SystemCall {
  readonly to: Uint8Array
  readonly data: Uint8Array
}

/**
 * Makes the system calls of a started block. A call to an address without code does nothing; with `lists`, the block's
 * access list has it.
 */
export function runSystemCalls(
  engine: BlockEngine,
  state: StateFork,
  calls: readonly SystemCall[],
  lists = false,
): void {
  for (const { to, data } of calls) {
    const account = state.readAccount(to)
    const isCode = account !== undefined && isContract(account)
    if (isCode || lists) answerFrom(engine.systemCall(to, data), state)
  }
}
