import { BlockForm } from './block-form.tsx'
import { ChangeList } from './change-list.tsx'
import { SideBySide } from './side-by-side.tsx'
import { StateForm } from './state-form.tsx'
import { TransactionForm } from './transaction-form.tsx'
import type { WhatIfProps } from './what-if-props.ts'

/** Changes a transaction, runs it again and shows both runs side by side. */
export function WhatIfPanel({ run, whatIf }: WhatIfProps) {
  const changes = whatIf.changes.value
  const edited = whatIf.edited.value
  const error = whatIf.error.value
  const work = whatIf.task.work.value
  return (
    <details class="what-if" open={changes.length > 0}>
      <summary>What if…</summary>
      <div class="edit-forms">
        <TransactionForm run={run} whatIf={whatIf} />
        <StateForm run={run} whatIf={whatIf} />
        <BlockForm run={run} whatIf={whatIf} />
      </div>
      <ChangeList whatIf={whatIf} />
      {work !== undefined && (
        <p class="work-notice">
          <progress aria-label={work.doing} /> {work.doing}…{' '}
          <button type="button" class="button" onClick={() => whatIf.task.cancel()}>
            Cancel
          </button>
        </p>
      )}
      {error !== undefined && (
        <div class="notice is-error" role="alert">
          <p>{error.message}</p>
          {error.hint !== '' && <p>What to do: {error.hint}.</p>}
        </div>
      )}
      {edited !== undefined && <SideBySide run={run} edited={edited} />}
    </details>
  )
}
