import type { Debugger } from '../../state/debug/debugger.ts'
import { ActionButton } from './action-button.tsx'
import { ACTION_GROUPS, DEBUG_ACTIONS } from './actions.ts'
import { GoToForm } from './go-to-form.tsx'

/** Buttons for the keys, and the current step. */
export function DebugToolbar({ debug }: { readonly debug: Debugger }) {
  return (
    <div class="debug-toolbar" role="toolbar" aria-label="Move through the steps">
      {ACTION_GROUPS.map((name) => (
        <div key={name} class="action-group" role="group" aria-label={name}>
          <span class="muted" aria-hidden="true">
            {name}
          </span>
          {DEBUG_ACTIONS.filter(({ group }) => group === name).map((action) => (
            <ActionButton key={action.name} action={action} debug={debug} />
          ))}
        </div>
      ))}
      <GoToForm debug={debug} />
    </div>
  )
}
