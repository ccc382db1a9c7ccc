import { DebugView } from '../debug/debug-view.tsx'
import { useExplorer } from '../explorer-context.ts'
import { ErrorNotice } from '../frame/error-notice.tsx'
import { CallList } from '../run/call-list.tsx'

/** One transaction: its tabs. */
export function TransactionPage() {
  const { location, opening } = useExplorer()
  const { tab } = location.view.value
  const state = opening.value
  switch (state.kind) {
    case 'failed':
      return <ErrorNotice error={state.error} />
    case 'open':
      return tab === 'debug' ? <DebugView run={state.run} /> : <CallList run={state.run} />
    case 'opening':
      return <p role="status">{state.doing}…</p>
    default:
      return <p>Drop the bundle on this page.</p>
  }
}
