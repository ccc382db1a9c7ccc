import { useExplorer } from '../explorer-context.ts'
import { Link } from '../view/link.tsx'
import { AddressPage } from './address-page.tsx'
import { BlockPage } from './block-page.tsx'
import { HomePage } from './home-page.tsx'
import { TransactionPage } from './transaction-page.tsx'

/** The page that the view names. */
export function PageContent() {
  const { page } = useExplorer().location.view.value
  switch (page.kind) {
    case 'home':
      return <HomePage />
    case 'tx':
    case 'bundle':
      return <TransactionPage />
    case 'block':
      return <BlockPage key={page.block} id={page.block} />
    case 'address':
      return <AddressPage key={page.address} address={page.address} />
    case 'unknown':
      return (
        <>
          <h1>There is no such page</h1>
          <p>
            A link names a transaction (/tx/0x…), a block (/block/17), an address (/address/0x…) or
            a bundle (/bundle). <Link to={{ page: { kind: 'home' } }}>Go to the newest blocks</Link>
          </p>
        </>
      )
  }
}
