import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { countText } from '../../decode/format/amount.ts'
import { useExplorer } from '../../state/explorer-context.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { PhraseText } from '../../text/phrase-text.tsx'
import { logsOf } from '../logs/logs-of.ts'
import { type Moves, readMoves } from './read-moves.ts'

/** The token transfers of a transaction. */
export function TokenTransfers({ run }: { readonly run: OpenedRun }) {
  const lens = useExplorer().uploads.lens.value
  const calls = run.calls.value
  const moves = useSignal<Moves | undefined>(undefined)
  useEffect(() => {
    const ended = new AbortController()
    readMoves(logsOf(calls), lens, ended.signal).then(
      (found) => {
        if (!ended.signal.aborted) moves.value = found
      },
      (thrown) => run.fail(thrown),
    )
    return () => ended.abort()
  }, [run, calls, lens, moves])
  if (moves.value === undefined || moves.value.phrases.length === 0) return null
  const { phrases, looked, logs } = moves.value
  return (
    <section aria-labelledby="moves-title">
      <h2 id="moves-title">Token transfers</h2>
      <ul class="lines" aria-labelledby="moves-title">
        {phrases.map((phrase, place) => (
          <li key={`move ${place}`}>
            <PhraseText phrase={phrase} run={run} />
          </li>
        ))}
      </ul>
      {looked < logs && (
        <p class="muted">
          From the first {countText(looked)} of {countText(logs)} logs; the rest are in the log
          list.
        </p>
      )}
    </section>
  )
}
