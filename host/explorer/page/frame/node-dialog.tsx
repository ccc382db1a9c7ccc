import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { useExplorer } from '../state/explorer-context.ts'

/** The node: that of the page, or any Ethereum node by URL. */
export function NodeDialog() {
  const explorer = useExplorer()
  const dialog = useRef<HTMLDialogElement>(null)
  const typed = useSignal('')
  const problem = useSignal('')
  const close = () => dialog.current?.close()
  const use = (rpc: string) => {
    problem.value = explorer.useNode(rpc) ?? ''
    if (problem.value === '') close()
  }
  return (
    <>
      <button
        type="button"
        class="button"
        onClick={() => {
          typed.value = explorer.location.view.value.rpc
          dialog.current?.showModal()
        }}
      >
        Node…
      </button>
      <dialog ref={dialog} aria-labelledby="node-title">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            use(typed.value.trim())
          }}
        >
          <div class="dialog-head">
            <h2 id="node-title">Node</h2>
            <button type="button" class="button" onClick={close}>
              Close
            </button>
          </div>
          <p>
            Any Ethereum node that answers JSON-RPC over HTTP. This page sends requests to no other
            server. The URL becomes part of the page’s link, including an API key in it.
          </p>
          <label for="node-url">URL of its JSON-RPC</label>
          <input
            id="node-url"
            type="text"
            inputMode="url"
            class="wide mono"
            placeholder={explorer.ownNode ?? 'http://127.0.0.1:8545'}
            autocomplete="off"
            spellcheck={false}
            aria-describedby="node-problem"
            value={typed.value}
            onInput={(event) => {
              typed.value = event.currentTarget.value
            }}
          />
          <p id="node-problem" class="bad" role="status">
            {problem.value}
          </p>
          <p class="buttons">
            <button type="submit" class="button">
              Use this node
            </button>
            {explorer.ownNode !== undefined && (
              <button type="button" class="button" onClick={() => use('')}>
                Use the node of this page
              </button>
            )}
          </p>
        </form>
      </dialog>
    </>
  )
}
