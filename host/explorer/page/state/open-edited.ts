import { type ErrorCode, LockstepError } from '../../../base/error.ts'
import type { AsyncStateView } from '../../../evm/state/view.ts'
import { edit } from '../../browser/edit.ts'
import type { OpenBundle } from '../../browser/open-bundle.ts'
import { openStepper } from '../../browser/open-stepper.ts'
import type { Change } from './debug/change.ts'
import { planChanges } from './debug/plan-changes.ts'

/** Errors of reading state from a node that lacks some of it or is unreachable. */
const UNREAD: readonly string[] = [
  'STATE_PRUNED',
  'LIMIT_EXCEEDED',
  'NODE_UNREACHABLE',
] satisfies ErrorCode[]

/**
 * Runs a transaction of a bundle again with changes. Reads beyond the bundle go to `before`, the state before it. If
 * that is missing or unreadable, they are assumed to be empty, and the bundle lists them.
 * @throws INVALID_ARGUMENT; TRANSACTION_REJECTED if the protocol rejects it
 */
export async function openEdited(
  bundle: OpenBundle,
  transaction: number,
  changes: readonly Change[],
  { before, signal }: { readonly before: AsyncStateView | undefined; readonly signal: AbortSignal },
) {
  const run = (source?: AsyncStateView) =>
    edit(bundle, planChanges(changes), { transaction, signal, ...(source && { source }) })
  const edited = await run(before).catch((thrown) => {
    const isUnread = thrown instanceof LockstepError && UNREAD.includes(thrown.code)
    if (before === undefined || !isUnread) throw thrown
    return run()
  })
  try {
    const stepper = await openStepper(edited, 0, { signal })
    return { bundle: edited, index: 0, stepper, side: 'edited' } as const
  } catch (thrown) {
    edited.close()
    throw thrown
  }
}
