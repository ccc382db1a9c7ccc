import type { Debugger } from '../../state/debug/debugger.ts'
import { ActionButton } from './action-button.tsx'
import { DEBUG_ACTIONS } from './actions.ts'
import { GoToForm } from './go-to-form.tsx'

/** Buttons for the keys, and the current step. */
export function DebugToolbar({ debug }: { readonly debug: Debugger }) {
  return (
    <div class="debug-toolbar" role="toolbar" aria-label="Move through the steps">
      {DEBUG_ACTIONS.filter(({ sign }) => sign !== undefined).map((action) => (
        <ActionButton key={action.name} action={action} debug={debug} />
      ))}
      <GoToForm debug={debug} />
    </div>
  )
}
