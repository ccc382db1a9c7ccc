import { type Signal, useSignal } from '@preact/signals'
import { countText } from '../decode/format/amount.ts'

/** Number of rendered entries of a list: one page at first. */
export function useShown(page: number): Signal<number> {
  return useSignal(page)
}

interface Props {
  readonly shown: Signal<number>
  readonly count: number
  /** The content of the list: "logs". */
  readonly what: string
}

/** Shows another page of a list. */
export function ShowMore({ shown, count, what }: Props) {
  if (shown.value >= count) return null
  return (
    <p>
      <button
        type="button"
        class="button"
        onClick={() => {
          shown.value += Math.min(shown.value, 200)
        }}
      >
        Show more
      </button>{' '}
      <span class="muted">
        {countText(Math.min(shown.value, count))} of {countText(count)} {what}
      </span>
    </p>
  )
}
