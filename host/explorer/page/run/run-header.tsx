import { useSignal } from '@preact/signals'
import { countText } from '../decode/format/amount.ts'
import { safeText } from '../decode/format/safe-text.ts'
import { useExplorer } from '../state/explorer-context.ts'
import type { OpenedRun } from '../state/opened-run.ts'
import { PhraseText } from '../text/phrase-text.tsx'

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
        {run.isSimulated ? (
          <span class="muted">
            Simulated on the state after block {countText(run.block.number)}; nothing was sent
          </span>
        ) : (
          <span class="mono wrap muted">{run.transaction.hash}</span>
        )}
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

/** Copies the link of this view; says what a link cannot contain. */
function ShareLink() {
  const explorer = useExplorer()
  const said = useSignal('')
  return (
    <>
      <button
        type="button"
        class="button"
        onClick={async () => {
          said.value = await explorer.copyLink()
        }}
      >
        Copy link
      </button>
      <span class="muted" role="status">
        {said.value}
      </span>
    </>
  )
}

/** Selects a transaction of a bundle that has several. */
function TransactionChoice({ run }: { readonly run: OpenedRun }) {
  const { location } = useExplorer()
  const { transactions } = run.bundle
  if (transactions.length < 2) return null
  return (
    <label>
      Transaction of the bundle{' '}
      <select
        value={String(run.index)}
        onChange={(event) => {
          const { rpc, bundle } = location.view.value
          location.go({
            page: { kind: 'bundle' },
            rpc,
            bundle,
            index: Number(event.currentTarget.value),
          })
        }}
      >
        {transactions.map(({ hash }, index) => (
          <option key={hash} value={String(index)}>
            {index}: {hash.slice(0, 18)}…
          </option>
        ))}
      </select>
    </label>
  )
}
