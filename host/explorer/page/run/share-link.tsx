import { useSignal } from '@preact/signals'
import { useExplorer } from '../state/explorer-context.ts'

/** Copies the link of this view; says what a link cannot contain. */
export function ShareLink() {
  const explorer = useExplorer()
  const said = useSignal('')
  return (
    <>
      <button
        type="button"
        class="button"
        onClick={async () => {
          said.value = await explorer.copyLink()
        }}
      >
        Copy link
      </button>
      <span class="muted" role="status">
        {said.value}
      </span>
    </>
  )
}
