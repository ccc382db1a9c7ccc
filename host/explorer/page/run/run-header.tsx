import { safeText } from '../decode/format/safe-text.ts'
import type { OpenedRun } from '../state/opened-run.ts'
import { PhraseText } from '../text/phrase-text.tsx'
import { ShareLink } from './share-link.tsx'
import { TransactionChoice } from './transaction-choice.tsx'

/** The transaction and its outcome, in one line. */
export function RunHeader({ run }: { readonly run: OpenedRun }) {
  const headline = run.words.value?.headline
  const success = run.summary.value?.success
  const mark = success === undefined ? '' : success ? '✓ ' : '✗ '
  return (
    <div class="run-header">
      <h1>
        <span class={success === false ? 'bad' : 'good'} aria-hidden="true">
          {mark}
        </span>
        {headline === undefined ? 'Transaction' : <PhraseText phrase={headline} run={run} />}
      </h1>
      <div class="buttons">
        <span class="mono wrap muted">{run.transaction.hash}</span>
        <ShareLink />
        <TransactionChoice run={run} />
      </div>
      {run.notes.length > 0 && (
        <section class="notice is-warning" aria-label="Notes on the bundle">
          {run.notes.map((note) => (
            <p key={note}>{safeText(note)}</p>
          ))}
        </section>
      )}
    </div>
  )
}
