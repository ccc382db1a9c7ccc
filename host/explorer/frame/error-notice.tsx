import type { PlainError } from '../../base/plain-error.ts'

/** What went wrong, and what to do. */
export function ErrorNotice({ error }: { readonly error: PlainError }) {
  return (
    <div class="notice is-error" role="alert">
      <p>{error.message}</p>
      {error.hint !== '' && <p class="hint">What to do: {error.hint}.</p>}
    </div>
  )
}
