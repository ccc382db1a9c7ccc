import { ErrorNotice } from '../frame/error-notice.tsx'
import { FileButton } from '../frame/file-button.tsx'
import { RunView } from '../run/run-view.tsx'
import { useExplorer } from '../state/explorer-context.ts'

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
              : page.kind === 'call'
                ? 'This call cannot be run'
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

/** Shown for a link to a bundle from a file: the file is needed again. */
function FileNeeded() {
  return (
    <>
      <h1>This view needs its bundle</h1>
      <p>
        The link names a view of a bundle that was opened from a file, and the bundle was too large
        for the link. Drop the same file on this page, or choose it: the view stays the same.
      </p>
      <FileButton />
    </>
  )
}
