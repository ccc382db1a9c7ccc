import type { LogNode, RunSummary } from '../../../browser/step/stepper.ts'
import { decodeLog } from '../../decode/abi/decode-item.ts'
import { phraseText } from '../../decode/words/phrase.ts'
import type { DebuggedRun } from '../../state/debug/debugged-run.ts'
import type { EditedRun, WhatIfRun } from '../../state/debug/what-if-run.ts'
import { useExplorer } from '../../state/explorer-context.ts'
import { AssumedReads } from './assumed-reads.tsx'
import { Divergence } from './divergence.tsx'
import { logRows, outcomeRows, stateDifferenceRows } from './outcome-rows.ts'
import { OutcomeTable } from './outcome-table.tsx'
import { useComparison } from './use-comparison.ts'

interface Props {
  readonly run: WhatIfRun
  readonly edited: EditedRun
}

/** Both runs, with links into each. */
export function SideBySide({ run, edited }: Props) {
  const { lens } = useExplorer().uploads
  const comparison = useComparison(run, edited)
  const [one, other] = [run.summary.value, edited.summary.value]
  if (one === undefined || other === undefined) return null
  const outcome = (side: DebuggedRun, summary: RunSummary) => {
    const headline = phraseText(side.words.value?.headline ?? [])
    return { summary, calls: side.calls.value, headline }
  }
  const before = outcome(run, one)
  const after = outcome(edited, other)
  const logText = (log: LogNode) => {
    const decoded = decodeLog(log, lens.value)
    const text = decoded.kind === 'decoded' ? decoded.text : `${log.topics.join(' ')} ${log.data}`
    return `${text} of ${log.address}`
  }
  return (
    <section aria-labelledby="side-by-side">
      <h2 id="side-by-side">
        With the changes it {other.success ? 'succeeds' : 'fails'}
        {one.success === other.success ? ' too' : ''}
      </h2>
      <OutcomeTable title="Outcomes" rows={outcomeRows(before, after)} />
      {comparison === undefined ? (
        <p class="muted">Comparing the runs step by step…</p>
      ) : (
        <>
          <Divergence run={run} comparison={comparison} />
          <OutcomeTable title="Logs of only one run" rows={logRows(comparison.logs, logText)} />
          <OutcomeTable
            title="Differences in the final state"
            rows={stateDifferenceRows(comparison.accounts)}
          />
        </>
      )}
      <AssumedReads reads={edited.bundle.assumed} />
    </section>
  )
}
