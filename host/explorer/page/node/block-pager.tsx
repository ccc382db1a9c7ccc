import { countText } from '../decode/format/amount.ts'
import { useExplorer } from '../state/explorer-context.ts'

interface Props {
  /** Numbers of the node's latest block, and of the latest one shown. */
  readonly head: number
  readonly last: number
  /** Blocks per page. */
  readonly page: number
  readonly isPaused: boolean
  readonly onPause: () => void
}

/** Leads to older and newer blocks; pauses automatic updates. */
export function BlockPager({ head, last, page, isPaused, onPause }: Props) {
  const { location } = useExplorer()
  const show = (before: number | undefined) => location.set({ before }, 'push')
  const isLive = location.view.value.before === undefined
  return (
    <nav class="buttons" aria-label="Pages of blocks">
      <button type="button" class="button" disabled={isLive} onClick={() => show(undefined)}>
        Latest
      </button>
      <button
        type="button"
        class="button"
        disabled={isLive}
        onClick={() => show(last + page >= head ? undefined : last + page)}
      >
        Newer
      </button>
      <button type="button" class="button" disabled={last < page} onClick={() => show(last - page)}>
        Older
      </button>
      <button type="button" class="button" aria-pressed={isPaused} onClick={onPause}>
        Pause
      </button>
      <span class="muted">
        Blocks {countText(Math.max(0, last - page + 1))} to {countText(last)} of {countText(head)}
      </span>
    </nav>
  )
}
