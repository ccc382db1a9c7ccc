/** Explains how to start without a node. */
export function NoNode() {
  return (
    <div class="notice">
      <p>No node is in use yet.</p>
      <p>
        “Node…” above takes the JSON-RPC URL of any Ethereum node; with{' '}
        <code>lockstep start --dev</code> running it is <code>http://127.0.0.1:8545</code>. A bundle
        needs no node: drop its file anywhere on this page. <code>lockstep record</code> writes one.
      </p>
    </div>
  )
}
