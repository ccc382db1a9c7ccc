import { countText } from '../decode/format/amount.ts'
import { useExplorer } from '../explorer-context.ts'

interface Props {
  /** Number of the newest block of the node, and of the newest that is shown. */
  readonly head: number
  readonly last: number
  /** Blocks that are shown at a time. */
  readonly page: number
  readonly isPaused: boolean
  readonly onPause: () => void
}

/** Leads to older and newer blocks; stops what comes by itself. */
export function BlockPager({ head, last, page, isPaused, onPause }: Props) {
  const { location } = useExplorer()
  const show = (before: number | undefined) => location.set({ before }, 'push')
  const isLive = location.view.value.before === undefined
  return (
    <nav class="buttons" aria-label="Pages of blocks">
      <button type="button" class="button" disabled={isLive} onClick={() => show(undefined)}>
        Newest
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
