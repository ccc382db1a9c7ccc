import { ShowMore, useShown } from '../../list/show-more.tsx'
import type { OpenedRun } from '../../state/opened-run.ts'
import { useHashed } from '../../state/use-hashed.ts'
import { AccountChanges } from './account-changes.tsx'
import { UndoneWriteList } from './undone-writes.tsx'

/** The accounts that the transaction changed. */
export function ChangesPanel({ run }: { readonly run: OpenedRun }) {
  const summary = run.summary.value
  const shown = useShown(50)
  const hashed = useHashed(run, run.sources.value !== undefined)
  if (summary === undefined) return null
  const { changes, success } = summary
  return (
    <>
      {changes.length === 0 && <p class="muted">It changed no account.</p>}
      {!success && (
        <p class="muted">
          The transaction failed: the writes of its calls are reverted, its fee and nonce remain.
        </p>
      )}
      {changes.slice(0, shown.value).map((change) => (
        <AccountChanges key={change.address} run={run} change={change} hashed={hashed} />
      ))}
      <ShowMore shown={shown} count={changes.length} what="accounts" />
      <UndoneWriteList run={run} hashed={hashed} />
    </>
  )
}
