/** Teaches what the page can do where it has no node to ask. */
export function NoNode() {
  return (
    <div class="notice">
      <p>No node is asked yet.</p>
      <p>
        “Node…” above takes the URL of any Ethereum node’s JSON-RPC, with{' '}
        <code>lockstep start --dev</code> running that is <code>http://127.0.0.1:8545</code>. A
        bundle needs no node: drop its file anywhere on this page. <code>lockstep record</code>{' '}
        writes one.
      </p>
    </div>
  )
}
