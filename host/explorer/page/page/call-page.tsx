import { CallForm } from '../call/call-form.tsx'
import { useExplorer } from '../state/explorer-context.ts'
import { TransactionPage } from './transaction-page.tsx'

/** A call that was never sent: its form, and its run as of a transaction. */
export function CallPage({ to }: { readonly to: string }) {
  const { with: call, at } = useExplorer().location.view.value
  const form = <CallForm key={`${at} ${call}`} to={to} call={call} at={at} />
  if (call === '') {
    return (
      <>
        <h1>Simulate a call</h1>
        <p>
          It runs in this tab on the state of the node after a block. Nothing is sent, and the
          result can be debugged like a transaction.
        </p>
        {form}
      </>
    )
  }
  return (
    <>
      <details class="call-again">
        <summary>Change the call, or send it</summary>
        {form}
      </details>
      <TransactionPage />
    </>
  )
}
