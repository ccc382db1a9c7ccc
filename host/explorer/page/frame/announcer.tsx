import { useExplorer } from '../explorer-context.ts'

/** Says to screen readers what has changed without the focus being there. */
export function Announcer() {
  const { announced } = useExplorer()
  return (
    <p class="visually-hidden" role="status" aria-live="polite" aria-label="Announcements">
      {announced}
    </p>
  )
}
