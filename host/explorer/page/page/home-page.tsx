import { NoNode } from '../node/no-node.tsx'
import { RecentBlocks } from '../node/recent-blocks.tsx'
import { useExplorer } from '../state/explorer-context.ts'
import { Link } from '../text/link.tsx'
import { CREATION } from '../view/page.ts'

/** The start page: how to open something, and the latest blocks of the node. */
export function HomePage() {
  const node = useExplorer().node.value
  return (
    <>
      <h1>Open a transaction</h1>
      <p>
        Type its hash above, choose it below, or drop a bundle anywhere on this page. The explorer
        explains why it failed, and steps through it in both directions. The engine runs in this
        tab. A call that was never sent can be{' '}
        <Link to={{ page: { kind: 'call', to: CREATION } }}>simulated</Link>.
      </p>
      {node === undefined ? <NoNode /> : <RecentBlocks key={node.reader.name} node={node} />}
    </>
  )
}
