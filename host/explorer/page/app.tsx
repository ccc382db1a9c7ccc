import { useCallback } from 'preact/hooks'
import { Announcer } from './frame/announcer.tsx'
import { DropTarget } from './frame/drop-target.tsx'
import { FileNotices } from './frame/file-notices.tsx'
import { PageFooter } from './frame/page-footer.tsx'
import { PageHeader } from './frame/page-header.tsx'
import { HelpDialog } from './keyboard/help-dialog.tsx'
import { PageContent } from './page/page-content.tsx'
import { useExplorer } from './state/explorer-context.ts'

/** The page: its frame around the content of the view. */
export function App() {
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
