import type { AsyncStateView } from '../../evm/state/view.ts'
import type { Changes } from './edit/changes.ts'
import { OpenBundle, type RunOptions } from './open-bundle.ts'

export interface EditOptions extends RunOptions {
  /** Place in `transactions` of the one to change; the first by default. Those before it run as they were. */
  readonly transaction?: number
  /**
   * Answers reads that the bundle did not record, since the transaction did not make them: of the state before
   * it. Without one they are taken to be empty, and the new bundle's `assumed` names them.
   */
  readonly source?: AsyncStateView
}

/**
 * Runs a transaction of a bundle with changes: a new open bundle of that transaction alone, to be traced, stepped
 * through and changed again as any other; it is closed for itself. Nobody signed what is changed: it keeps its hash.
 * Nonce and code of the sender are not looked at where they, the sender or the nonce are changed, and another sender
 * pays no fees; all else is as the protocol has it.
 * @throws LockstepError INVALID_ARGUMENT naming the member; TRANSACTION_REJECTED where the protocol refuses it
 */
export async function edit(
  bundle: OpenBundle,
  changes: Changes,
  { transaction = 0, source, signal }: EditOptions = {},
): Promise<OpenBundle> {
  const { key, shared } = bundle
  const options = { signal, source }
  const { assumed, ...opened } = await bundle.call('edit', { key, transaction, changes }, options)
  return new OpenBundle(shared, opened, assumed)
}
