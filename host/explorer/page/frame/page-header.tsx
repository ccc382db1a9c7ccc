import { useExplorer } from '../state/explorer-context.ts'
import { Link } from '../text/link.tsx'
import { FileButton } from './file-button.tsx'
import { NodeDialog } from './node-dialog.tsx'
import { SearchBox } from './search-box.tsx'

/** Name, search, files and settings: on every page. */
export function PageHeader() {
  const explorer = useExplorer()
  const { theme } = explorer
  return (
    <header class="page-header">
      <Link class="brand" to={{ page: { kind: 'home' } }}>
        Lockstep
      </Link>
      <SearchBox />
      <div class="tools">
        <FileButton />
        <NodeDialog />
        <button
          type="button"
          class="button"
          aria-label={`Use the ${theme.name.value === 'dark' ? 'light' : 'dark'} theme`}
          onClick={() => theme.toggle()}
        >
          {theme.name.value === 'dark' ? 'Light' : 'Dark'}
        </button>
        <button
          type="button"
          class="button"
          aria-label="Help: keyboard shortcuts"
          onClick={() => explorer.toggleHelp()}
        >
          ?
        </button>
      </div>
    </header>
  )
}
