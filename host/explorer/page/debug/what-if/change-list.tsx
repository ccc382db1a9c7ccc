import { describeChange, subjectOf } from './change.ts'
import type { WhatIf } from './what-if.ts'
import type { EditedRun } from './what-if-run.ts'

/** What is other than it was, each of which can be taken back. */
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
                aria-label={`Take back the change of ${subject}`}
                onClick={() => whatIf.remove(subject)}
              >
                take back
              </button>
            </li>
          )
        })}
      </ul>
      <button type="button" class="button" onClick={() => whatIf.clear()}>
        Take back all
      </button>
    </section>
  )
}
