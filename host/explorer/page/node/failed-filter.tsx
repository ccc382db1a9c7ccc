import { useExplorer } from '../state/explorer-context.ts'

/** Shows only the failed transactions of a list. */
export function FailedFilter() {
  const { location } = useExplorer()
  const isFailed = location.view.value.show === 'failed'
  return (
    <button
      type="button"
      class="button"
      aria-pressed={isFailed}
      onClick={() => location.set({ show: isFailed ? 'all' : 'failed', older: undefined }, 'push')}
    >
      Failed only
    </button>
  )
}
