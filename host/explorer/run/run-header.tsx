import { useComputed } from '@preact/signals'
import { summaryWords } from '../decode/words/summary-words.ts'
import { useExplorer } from '../explorer-context.ts'
import { PhraseText } from '../text/phrase-text.tsx'
import type { OpenedRun } from './opened-run.ts'
import { ShareLink } from './share-link.tsx'
import { TransactionChoice } from './transaction-choice.tsx'

/** Which transaction it is and how it ended, in one line. */
export function RunHeader({ run }: { readonly run: OpenedRun }) {
  const { knowledge } = useExplorer()
  const headline = useComputed(() => {
    const summary = run.summary.value
    if (summary === undefined) return undefined
    return summaryWords(summary, run.calls.value, knowledge.lens.value)?.headline
  })
  const success = run.summary.value?.success
  return (
    <div class="run-header">
      <h1>
        {success !== undefined && (
          <span class={`badge ${success ? 'is-good' : 'is-bad'}`}>
            {success ? 'success' : 'failed'}
          </span>
        )}{' '}
        {headline.value === undefined ? (
          'Transaction'
        ) : (
          <PhraseText phrase={headline.value} run={run} />
        )}
      </h1>
      <p class="mono wrap muted">{run.transaction.hash}</p>
      <div class="buttons">
        <ShareLink />
        <TransactionChoice run={run} />
      </div>
    </div>
  )
}
