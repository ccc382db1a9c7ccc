import { useSignal } from '@preact/signals'
import { countText } from '../decode/format/amount.ts'
import { middleCut } from './middle-cut.ts'

interface Props {
  /** Safe to show. */
  readonly text: string
  /** Characters that are shown at first. */
  readonly most?: number
  /** What it is, for the button that shows the rest: "the input". */
  readonly name: string
}

/** More than this would hold up the page: the rest is copied, not shown. */
const MOST_SHOWN = 100_000

/** Code or bytes of any length: cut in the middle until somebody asks for all. */
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
