import { useExplorer } from '../state/explorer-context.ts'
import type { OpenedRun } from '../state/opened-run.ts'

/** Selects a transaction of a bundle that has several. */
export function TransactionChoice({ run }: { readonly run: OpenedRun }) {
  const { location } = useExplorer()
  const { transactions } = run.bundle
  if (transactions.length < 2) return null
  return (
    <label>
      Transaction of the bundle{' '}
      <select
        value={String(run.index)}
        onChange={(event) => {
          const { rpc, bundle } = location.view.value
          location.go({
            page: { kind: 'bundle' },
            rpc,
            bundle,
            index: Number(event.currentTarget.value),
          })
        }}
      >
        {transactions.map(({ hash }, index) => (
          <option key={hash} value={String(index)}>
            {index}: {hash.slice(0, 18)}…
          </option>
        ))}
      </select>
    </label>
  )
}
