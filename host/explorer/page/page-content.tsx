import { useExplorer } from '../explorer-context.ts'
import { HomePage } from './home-page.tsx'
import { TransactionPage } from './transaction-page.tsx'

/** The page that the view names. */
export function PageContent() {
  const { page } = useExplorer().location.view.value
  switch (page.kind) {
    case 'tx':
    case 'bundle':
      return <TransactionPage />
    default:
      return <HomePage />
  }
}
