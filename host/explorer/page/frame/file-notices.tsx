import { useExplorer } from '../state/explorer-context.ts'

/** The results of opened files. */
export function FileNotices() {
  const explorer = useExplorer()
  const notices = explorer.fileNotices.value
  if (notices.length === 0) return null
  return (
    <section class="notice file-notices" aria-label="Opened files">
      <ul class="lines" aria-label="File types">
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
