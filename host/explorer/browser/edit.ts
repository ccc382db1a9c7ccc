import type { AsyncStateView } from '../../evm/state/view.ts'
import type { Changes } from './edit/changes.ts'
import { OpenBundle, type RunOptions } from './open-bundle.ts'

export interface EditOptions extends RunOptions {
  /** Index in `transactions` of the one to change; the first by default. Those before it run unchanged. */
  readonly transaction?: number
  /**
   * Answers reads that the bundle did not record, from the state before the transaction. Without it they are taken to
   * be empty, and `assumed` of the new bundle lists them.
   */
  readonly source?: AsyncStateView
}

/**
 * Runs a transaction of a bundle with changes. Returns a new open bundle with only that transaction, which can be
 * traced, stepped and edited like any other; close it separately. The changed transaction is not signed and keeps its
 * hash. If the sender, its nonce or code, or the nonce is changed, nonce and code of the sender are not checked;
 * another sender pays no fees. All other rules of the protocol apply.
 * @throws LockstepError INVALID_ARGUMENT naming the member; TRANSACTION_REJECTED if the protocol rejects it
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
