import { useExplorer } from '../explorer-context.ts'

/** What came of files that were opened. */
export function FileNotices() {
  const explorer = useExplorer()
  const notices = explorer.fileNotices.value
  if (notices.length === 0) return null
  return (
    <section class="notice file-notices" aria-label="Files that were opened">
      <ul class="lines" aria-label="What they are">
        {notices.map((notice) => (
          <li key={notice}>{notice}</li>
        ))}
      </ul>
      <button type="button" class="text-button" onClick={() => explorer.dismissFileNotices()}>
        Dismiss
      </button>
    </section>
  )
}
