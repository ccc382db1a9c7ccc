import type { WhatIfProps } from './what-if-props.ts'

/** Shows which of two runs is displayed, and switches to the other; nothing if there is only one. */
export function SideSwitch({ run, whatIf }: WhatIfProps) {
  const { side } = run.location.view.value
  if (whatIf.edited.value === undefined) return null
  return (
    <div class="side-switch" role="group" aria-label="Which run">
      <button
        type="button"
        class="button"
        aria-pressed={side === 'original'}
        onClick={() => whatIf.show('original')}
      >
        Original
      </button>
      <button
        type="button"
        class="button"
        aria-pressed={side === 'edited'}
        onClick={() => whatIf.show('edited')}
      >
        With the changes
      </button>
    </div>
  )
}
