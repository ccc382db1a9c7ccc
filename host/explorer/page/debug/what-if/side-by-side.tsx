import type { AccountDifference } from '../../../browser/compare/comparison.ts'
import type { LogNode, RunSummary } from '../../../browser/step/stepper.ts'
import { decodeLog } from '../../decode/abi/decode-item.ts'
import type { VariableChange } from '../../decode/storage/variable-changes.ts'
import { phraseText } from '../../decode/words/phrase.ts'
import { namedChanges } from '../../sources/variables.ts'
import type { DebuggedRun } from '../../state/debug/debugged-run.ts'
import type { EditedRun, WhatIfRun } from '../../state/debug/what-if-run.ts'
import { useExplorer } from '../../state/explorer-context.ts'
import { useHashed } from '../../state/use-hashed.ts'
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
  const namesOf = useNames(run, edited)
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
            rows={stateDifferenceRows(comparison.accounts, namesOf)}
          />
        </>
      )}
      <AssumedReads reads={edited.bundle.assumed} />
    </section>
  )
}

/** Returns the differing slots of an account by variable, with the keys that either run hashed. */
function useNames(
  run: WhatIfRun,
  edited: EditedRun,
): (account: AccountDifference) => readonly VariableChange[] {
  const sources = run.sources.value
  const isWanted = sources !== undefined
  const [one, other] = [useHashed(run, isWanted), useHashed(edited, isWanted)]
  return ({ address, slots }) => {
    const changes = slots.map(({ slot, values: [before, after] }) => ({ slot, before, after }))
    const contracts = [
      ...(sources?.contractsOf(address) ?? []),
      ...(edited.sources.value?.contractsOf(address) ?? []),
    ]
    const calls = [...run.calls.value, ...edited.calls.value]
    return namedChanges({ slots: changes }, contracts, [...one, ...other], calls)
  }
}
