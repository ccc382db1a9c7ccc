import type { Debugger } from '../../state/debug/debugger.ts'
import type { DebugAction } from './actions.ts'

interface Props {
  readonly action: DebugAction
  readonly debug: Debugger
}

export function ActionButton({ action: { name, sign, keys, act }, debug }: Props) {
  return (
    <button
      type="button"
      aria-label={name}
      aria-keyshortcuts={keys.join(' ')}
      title={`${name} (${keys.join(', ')})`}
      onClick={() => act(debug)}
    >
      <span aria-hidden="true">{sign}</span>
    </button>
  )
}
