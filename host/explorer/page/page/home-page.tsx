import { useExplorer } from '../explorer-context.ts'
import { NoNode } from '../node/no-node.tsx'
import { RecentBlocks } from '../node/recent-blocks.tsx'

/** Where one begins: how to open something, and the newest of the node. */
export function HomePage() {
  const node = useExplorer().node.value
  return (
    <>
      <h1>Open a transaction</h1>
      <p>
        Type its hash above, choose it below, or drop a bundle anywhere on this page: it says in
        words why it failed, and steps through it in both directions. The engine runs in this tab.
      </p>
      {node === undefined ? <NoNode /> : <RecentBlocks key={node.reader.name} node={node} />}
    </>
  )
}
