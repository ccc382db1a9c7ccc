import { PhraseText } from '../../text/phrase-text.tsx'
import type { OpenedRun } from '../opened-run.ts'
import { FailurePanel } from './failure-panel.tsx'
import { TransactionFacts } from './transaction-facts.tsx'

/** The transaction in words: what was called, by whom, how it ended and why. */
export function SummaryPanel({ run }: { readonly run: OpenedRun }) {
  const words = run.words.value
  if (words === undefined) return null
  const { what, moves, gas, caught } = words
  return (
    <div class="summary-panel">
      <section aria-labelledby="what-title">
        <h2 id="what-title">What happened</h2>
        <p>
          <PhraseText phrase={what} run={run} /> <PhraseText phrase={gas} run={run} />
        </p>
      </section>
      <FailurePanel run={run} words={words} />
      {moves.length > 0 && (
        <section aria-labelledby="moves-title">
          <h2 id="moves-title">Tokens moved</h2>
          <ul class="lines" aria-labelledby="moves-title">
            {moves.slice(0, 100).map((move, place) => (
              <li key={`move ${place}`}>
                <PhraseText phrase={move} run={run} />
              </li>
            ))}
          </ul>
          {moves.length > 100 && <p class="muted">And {moves.length - 100} more: see the logs.</p>}
        </section>
      )}
      {caught.length > 0 && (
        <section aria-labelledby="caught-title">
          <h2 id="caught-title">Failures that were caught</h2>
          <ul class="lines" aria-labelledby="caught-title">
            {caught.slice(0, 20).map((phrase, place) => (
              <li key={`caught ${place}`}>
                <PhraseText phrase={phrase} run={run} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <TransactionFacts run={run} />
    </div>
  )
}
