import type { PlainError } from '../../../base/plain-error.ts'
import { middleCut } from '../decode/format/middle-cut.ts'
import { safeText } from '../decode/format/safe-text.ts'

const LONGEST = 2_000

/** An error and its remedy. */
export function ErrorNotice({ error }: { readonly error: PlainError }) {
  return (
    <div class="notice is-error" role="alert">
      <p>{shown(error.message)}</p>
      {error.hint !== '' && <p class="hint">What to do: {shown(error.hint)}.</p>}
    </div>
  )
}

/** Messages contain text from nodes and files. */
function shown(text: string): string {
  return middleCut(safeText(text), LONGEST)
}
