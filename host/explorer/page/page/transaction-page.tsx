import { ErrorNotice } from '../frame/error-notice.tsx'
import { RunView } from '../run/run-view.tsx'
import { useExplorer } from '../state/explorer-context.ts'
import { FileNeeded } from './file-needed.tsx'

/** A transaction: loading, failed, or open. */
export function TransactionPage() {
  const { location, opening } = useExplorer()
  const { page } = location.view.value
  const state = opening.value
  switch (state.kind) {
    case 'failed':
      return (
        <>
          <h1>
            {page.kind === 'tx'
              ? 'This transaction cannot be opened'
              : 'This bundle cannot be opened'}
          </h1>
          {page.kind === 'tx' && <p class="mono wrap">{page.hash}</p>}
          <ErrorNotice error={state.error} />
        </>
      )
    case 'open':
      return <RunView run={state.run} />
    case 'opening':
      return (
        <>
          <h1>Opening…</h1>
          <p role="status">{state.doing}…</p>
        </>
      )
    case 'file-needed':
      return <FileNeeded />
    case 'none':
      return null
  }
}
