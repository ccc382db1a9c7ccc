import { failurePaths } from '../../decode/words/failure-path.ts'
import { faultWords } from '../../decode/words/fault-words.ts'
import type { SummaryWords } from '../../decode/words/summary-words.ts'
import { useExplorer } from '../../state/explorer-context.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { PhraseText } from '../../text/phrase-text.tsx'
import { ValueTable } from '../../text/value-table.tsx'
import { FailurePathList } from './failure-path-list.tsx'
import { FailureSource } from './failure-source.tsx'

interface Props {
  readonly run: OpenedRun
  readonly words: SummaryWords
}

/** Why it failed: the innermost revert decoded, usual causes, and its propagation. */
export function FailurePanel({ run, words }: Props) {
  const lens = useExplorer().uploads.lens.value
  if (words.why === undefined) return null
  const way = failurePaths(run.calls.value).find(({ caughtBy }) => caughtBy === undefined)
  const first = way?.failed[0]
  const fault = first === undefined ? undefined : faultWords(first, lens, run.calls.value)
  const step = first?.fault?.step
  return (
    <section class="notice is-error failure" aria-labelledby="why-title">
      <h2 id="why-title">Why it failed</h2>
      {fault !== undefined && (
        <p class="failure-title">
          <strong>{fault.title}</strong>
        </p>
      )}
      <p>
        <PhraseText phrase={words.why} run={run} />
      </p>
      {words.cause.length > 0 && (
        <p class="muted">
          <PhraseText phrase={words.cause} run={run} />
        </p>
      )}
      {fault?.error?.kind === 'decoded' && fault.error.values.length > 0 && (
        <ValueTable caption={fault.error.item.signature} values={fault.error.values} />
      )}
      {step !== undefined && <FailureSource run={run} step={step} />}
      {way !== undefined && way.failed.length > 1 && (
        <FailurePathList run={run} failed={way.failed} />
      )}
      <p class="buttons">
        {step !== undefined && (
          <button
            type="button"
            class="button"
            onClick={() => run.location.set({ tab: 'debug', step, call: undefined }, 'push')}
          >
            Debug where it failed
          </button>
        )}
        {first !== undefined && (
          <button
            type="button"
            class="button"
            onClick={() => run.location.set({ tab: 'calls', call: first.index }, 'push')}
          >
            Show in the call tree
          </button>
        )}
      </p>
    </section>
  )
}
