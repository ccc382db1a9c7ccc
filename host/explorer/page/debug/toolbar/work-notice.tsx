import type { Debugger } from '../../state/debug/debugger.ts'

/** A running task with a button to cancel it. It appears after 100 ms. */
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
