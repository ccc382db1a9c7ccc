import { describeChange, subjectOf } from '../../state/debug/change.ts'
import type { WhatIf } from '../../state/debug/what-if.ts'
import type { EditedRun } from '../../state/debug/what-if-run.ts'

/** The changes, each with a button to undo it. */
export function ChangeList({ whatIf }: { readonly whatIf: WhatIf<EditedRun> }) {
  const changes = whatIf.changes.value
  if (changes.length === 0) return null
  return (
    <section class="changes" aria-label="Changes">
      <ul>
        {changes.map((change) => {
          const subject = subjectOf(change)
          return (
            <li key={subject}>
              <span>{describeChange(change)}</span>{' '}
              <button
                type="button"
                class="button"
                aria-label={`Undo the change of ${subject}`}
                onClick={() => whatIf.remove(subject)}
              >
                undo
              </button>
            </li>
          )
        })}
      </ul>
      <button type="button" class="button" onClick={() => whatIf.clear()}>
        Undo all
      </button>
    </section>
  )
}
