import { edit } from '../../browser/edit.ts'
import type { OpenBundle } from '../../browser/open-bundle.ts'
import { openStepper } from '../../browser/open-stepper.ts'
import type { Change } from '../debug/what-if/change.ts'
import { planChanges } from '../debug/what-if/plan-changes.ts'

/**
 * Runs a transaction of a bundle again with changes.
 * @throws INVALID_ARGUMENT; TRANSACTION_REJECTED where the protocol refuses it
 */
export async function openEdited(
  bundle: OpenBundle,
  transaction: number,
  changes: readonly Change[],
  signal: AbortSignal,
) {
  const edited = await edit(bundle, planChanges(changes), { transaction, signal })
  try {
    const stepper = await openStepper(edited, 0, { signal })
    return { bundle: edited, index: 0, stepper, side: 'edited' } as const
  } catch (thrown) {
    edited.close()
    throw thrown
  }
}
