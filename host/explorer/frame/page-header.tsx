import { Link } from '../view/link.tsx'
import { FileButton } from './file-button.tsx'
import { SearchBox } from './search-box.tsx'

/** Name, search and files: on every page. */
export function PageHeader() {
  return (
    <header class="page-header">
      <Link class="brand" to={{ page: { kind: 'home' } }}>
        Lockstep
      </Link>
      <SearchBox />
      <FileButton />
    </header>
  )
}
