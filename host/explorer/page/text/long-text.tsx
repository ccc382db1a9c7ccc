import { useSignal } from '@preact/signals'
import { countText } from '../decode/format/amount.ts'
import { middleCut } from '../decode/format/middle-cut.ts'

interface Props {
  /** Must be safe to display. */
  readonly text: string
  /** Initially visible characters. */
  readonly most?: number
  /** The subject of the button that shows the rest: "the input". */
  readonly name: string
}

/** Maximum characters to show, since more would block the page; the rest can be copied. */
const MOST_SHOWN = 100_000

/** Code or bytes of any length, shortened in the middle until expanded. */
export function LongText({ text, most = 200, name }: Props) {
  const isWhole = useSignal(false)
  if (text.length <= most) return <code>{text}</code>
  return (
    <span class="long-text">
      <code>{middleCut(text, isWhole.value ? MOST_SHOWN : most)}</code>{' '}
      <button
        type="button"
        class="text-button"
        aria-expanded={isWhole.value}
        onClick={() => {
          isWhole.value = !isWhole.value
        }}
      >
        {isWhole.value ? `Cut ${name}` : `Show ${name} (${countText(text.length)} characters)`}
      </button>{' '}
      <button
        type="button"
        class="text-button"
        onClick={() => void navigator.clipboard.writeText(text)}
      >
        Copy {name}
      </button>
    </span>
  )
}
