import { AssumedReads } from './assumed-reads.tsx'
import { outcomeRows, stateRows } from './outcome-rows.ts'
import { OutcomeTable } from './outcome-table.tsx'
import type { EditedRun, WhatIfRun } from './what-if-run.ts'

interface Props {
  readonly run: WhatIfRun
  readonly edited: EditedRun
}

/** Both runs, and the way into each of them. */
export function SideBySide({ run, edited }: Props) {
  const [one, other] = [run.summary.value, edited.summary.value]
  if (one === undefined || other === undefined) return null
  const before = { summary: one, calls: run.calls.value }
  const after = { summary: other, calls: edited.calls.value }
  return (
    <section aria-labelledby="side-by-side">
      <h2 id="side-by-side">
        With the changes it {other.success ? 'succeeds' : 'fails'}
        {one.success === other.success ? ' too' : ''}
      </h2>
      <OutcomeTable title="How they end" rows={outcomeRows(before, after)} />
      <OutcomeTable title="State that they leave otherwise" rows={stateRows(one, other)} />
      <AssumedReads reads={edited.bundle.assumed} />
    </section>
  )
}
