import { useCallback } from 'preact/hooks'
import { DropTarget } from './frame/drop-target.tsx'
import { PageFooter } from './frame/page-footer.tsx'
import { PageHeader } from './frame/page-header.tsx'
import { HelpDialog } from './keyboard/help-dialog.tsx'
import { PageContent } from './page/page-content.tsx'
import { useExplorer } from './state/explorer-context.ts'

/** The page: its frame around the content of the view. */
export function ExplorerApp() {
  const explorer = useExplorer()
  const openFiles = useCallback((files: readonly File[]) => explorer.openFiles(files), [explorer])
  return (
    <>
      {/* Not a link: its href would replace that of the view in the address. */}
      <button
        type="button"
        class="skip-link"
        onClick={() => document.getElementById('content')?.focus()}
      >
        Skip to the content
      </button>
      <PageHeader />
      <main id="content" tabIndex={-1}>
        <FileNotices />
        <PageContent />
      </main>
      <PageFooter />
      <Announcer />
      <HelpDialog />
      <DropTarget onFiles={openFiles} />
    </>
  )
}

/** Announces changes away from the focus to screen readers. */
function Announcer() {
  const { announced } = useExplorer()
  return (
    <p class="visually-hidden" role="status" aria-live="polite" aria-label="Announcements">
      {announced}
    </p>
  )
}

/** The results of opened files. */
function FileNotices() {
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
