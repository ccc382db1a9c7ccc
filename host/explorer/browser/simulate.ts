import { neverAborted } from '../../base/signal.ts'
import type { AsyncStateView } from '../../evm/state/view.ts'
import type { UnsentCall } from './edit/unsent-call.ts'
import { OpenBundle, type OpenOptions, openRunner, SharedRunner } from './open-bundle.ts'

/**
 * Runs a call that was never sent on the state of `source`. Returns an open bundle with only that call, which can be
 * traced, stepped and edited like any other.
 * @throws LockstepError INVALID_ARGUMENT naming the member; TRANSACTION_REJECTED if the protocol rejects the call; what
 * reading the state throws
 */
export async function simulate(
  call: UnsentCall,
  source: AsyncStateView,
  options: OpenOptions = {},
): Promise<OpenBundle> {
  const { signal = neverAborted() } = options
  const runner = await openRunner(options)
  try {
    const { assumed, ...opened } = await runner.call('simulate', call, { signal, source })
    return new OpenBundle(new SharedRunner(runner), opened, assumed)
  } catch (thrown) {
    runner.close()
    throw thrown
  }
}
