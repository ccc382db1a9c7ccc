import { useEffect, useRef } from 'preact/hooks'
import { useExplorer } from '../state/explorer-context.ts'
import { Link } from '../text/link.tsx'
import { formatPage, type ViewPage } from '../view/page.ts'
import { AddressPage } from './address-page.tsx'
import { BlockPage } from './block-page.tsx'
import { CallPage } from './call-page.tsx'
import { HomePage } from './home-page.tsx'
import { TransactionPage } from './transaction-page.tsx'

/** The page that the view names. */
export function PageContent() {
  const { page } = useExplorer().location.view.value
  usePageChange(page)
  switch (page.kind) {
    case 'home':
      return <HomePage />
    case 'tx':
    case 'bundle':
      return <TransactionPage />
    case 'call':
      return <CallPage key={page.to} to={page.to} />
    case 'block':
      return <BlockPage key={page.block} id={page.block} />
    case 'address':
      return <AddressPage key={page.address} address={page.address} />
    case 'unknown':
      return (
        <>
          <h1>There is no such page</h1>
          <p>
            A link names a transaction (/tx/0x…), a block (/block/17), an address (/address/0x…), a
            call (/call/0x…) or a bundle (/bundle).{' '}
            <Link to={{ page: { kind: 'home' } }}>Go to the latest blocks</Link>
          </p>
        </>
      )
  }
}

/** On a page change, sets the title and moves the focus to the start of the content. */
function usePageChange(page: ViewPage): void {
  const path = formatPage(page)
  const before = useRef(path)
  useEffect(() => {
    document.title = `${titleOf(page)} · Lockstep explorer`
    if (before.current === path) return
    before.current = path
    document.getElementById('content')?.focus({ preventScroll: true })
  }, [path])
}

function titleOf(page: ViewPage): string {
  switch (page.kind) {
    case 'home':
      return 'Blocks'
    case 'tx':
      return `Transaction ${page.hash.slice(0, 12)}…`
    case 'bundle':
      return 'Bundle'
    case 'call':
      return 'Call'
    case 'block':
      return `Block ${page.block.slice(0, 12)}`
    case 'address':
      return `Address ${page.address.slice(0, 12)}…`
    case 'unknown':
      return 'No such page'
  }
}
