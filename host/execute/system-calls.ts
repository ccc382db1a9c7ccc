import { isContract } from '../state/account.ts'
import { answerFrom } from '../state/answer.ts'
import type { StateFork } from '../state/state-fork.ts'
import type { BlockEngine } from './block.ts'
import type { SystemCall } from './chain-rules.ts'

/** Makes the calls of the protocol in a block that has begun. Where there is no contract nothing happens. */
export function runSystemCalls(
  engine: BlockEngine,
  state: StateFork,
  calls: readonly SystemCall[],
): void {
  for (const { to, data } of calls) {
    const account = state.readAccount(to)
    if (account !== undefined && isContract(account)) answerFrom(engine.systemCall(to, data), state)
  }
}
