import { LockstepError } from '../../../base/error.ts'
import type { BundleSource } from '../../browser/bundle-source.ts'
import { openBundle } from '../../browser/open-bundle.ts'
import { openStepper } from '../../browser/open-stepper.ts'
import type { RunSource } from './opened-run.ts'

/**
 * Opens a transaction of a bundle, by `hash` or else by `index`.
 * @throws BUNDLE_INVALID, NOT_FOUND, ENGINE_FAULT
 */
export async function openRun(
  source: BundleSource,
  wanted: { readonly hash?: string; readonly index?: number | undefined },
  signal: AbortSignal,
): Promise<RunSource> {
  const bundle = await openBundle(source, { signal })
  try {
    const { transactions } = bundle
    const index =
      wanted.hash === undefined
        ? (wanted.index ?? 0)
        : transactions.findIndex(({ hash }) => hash === wanted.hash)
    if (transactions[index] === undefined) {
      throw new LockstepError(
        'NOT_FOUND',
        `the bundle has ${transactions.length} transactions, and not ${wanted.hash ?? `one at index ${index}`}`,
        { hint: 'open the bundle of that transaction, or choose one that it contains' },
      )
    }
    return { bundle, index, stepper: await openStepper(bundle, index, { signal }) }
  } catch (thrown) {
    bundle.close()
    throw thrown
  }
}
