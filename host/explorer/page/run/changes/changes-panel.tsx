import { ShowMore, useShown } from '../../list/show-more.tsx'
import type { OpenedRun } from '../../state/opened-run.ts'
import { useHashed } from '../../state/use-hashed.ts'
import { AccountChanges } from './account-changes.tsx'

/** The accounts that the transaction changed. */
export function ChangesPanel({ run }: { readonly run: OpenedRun }) {
  const summary = run.summary.value
  const shown = useShown(50)
  const hashed = useHashed(run)
  if (summary === undefined) return null
  const { changes, success } = summary
  if (changes.length === 0) return <p class="muted">It changed no account.</p>
  return (
    <>
      {!success && (
        <p class="muted">
          The transaction failed: the writes of its calls are reverted, its fee and nonce remain.
        </p>
      )}
      {changes.slice(0, shown.value).map((change) => (
        <AccountChanges key={change.address} run={run} change={change} hashed={hashed} />
      ))}
      <ShowMore shown={shown} count={changes.length} what="accounts" />
    </>
  )
}
