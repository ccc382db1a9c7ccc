import type { Debugger } from '../debugger.ts'

/** What takes long, and the way to end it. It shows after 100 ms. */
export function WorkNotice({ debug }: { readonly debug: Debugger }) {
  const work = debug.task.work.value
  if (work === undefined) return null
  return (
    <p class="work-notice" key={work.doing}>
      <progress aria-label={work.doing} /> {work.doing}…{' '}
      <button type="button" class="button" onClick={() => debug.cancel()}>
        Cancel
      </button>
    </p>
  )
}
