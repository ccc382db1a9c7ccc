import type { OpenedRun } from '../../state/opened-run.ts'
import { PhraseText } from '../../text/phrase-text.tsx'
import { FailurePanel } from './failure-panel.tsx'
import { TokenTransfers } from './token-transfers.tsx'
import { TransactionFacts } from './transaction-facts.tsx'

/** The description of the transaction: the call, its sender, the outcome and the reason. */
export function SummaryPanel({ run }: { readonly run: OpenedRun }) {
  const words = run.words.value
  if (words === undefined) return null
  const { what, gas, caught } = words
  return (
    <div class="summary-panel">
      <section aria-labelledby="what-title">
        <h2 id="what-title">What happened</h2>
        <p>
          <PhraseText phrase={what} run={run} /> <PhraseText phrase={gas} run={run} />
        </p>
      </section>
      <FailurePanel run={run} words={words} />
      <TokenTransfers run={run} />
      {caught.length > 0 && (
        <section aria-labelledby="caught-title">
          <h2 id="caught-title">Caught failures</h2>
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
