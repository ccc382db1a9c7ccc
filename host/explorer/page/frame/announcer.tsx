import { useExplorer } from '../state/explorer-context.ts'

/** Announces changes away from the focus to screen readers. */
export function Announcer() {
  const { announced } = useExplorer()
  return (
    <p class="visually-hidden" role="status" aria-live="polite" aria-label="Announcements">
      {announced}
    </p>
  )
}
