import { type Signal, useSignal } from '@preact/signals'
import { countText } from '../decode/format/amount.ts'

/** How many of a list's entries are drawn: a page at first. */
export function useShown(page: number): Signal<number> {
  return useSignal(page)
}

interface Props {
  readonly shown: Signal<number>
  readonly count: number
  /** What the list is of: "logs". */
  readonly what: string
}

/** Draws more of a list, as many again. */
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
