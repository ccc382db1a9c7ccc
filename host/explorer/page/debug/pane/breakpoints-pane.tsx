import { useSignal } from '@preact/signals'
import type { TargetedSubmitEvent } from 'preact'
import { toPlainError } from '../../../../base/plain-error.ts'
import { safeText } from '../../decode/format/safe-text.ts'
import { parseWatch } from '../../decode/watch/watch-expression.ts'
import {
  type Breakpoint,
  describeBreakpoint,
  describeStop,
  isSameStop,
} from '../../state/debug/breakpoint.ts'
import { parseStop } from '../../state/debug/breakpoint-text.ts'
import type { Debugger } from '../../state/debug/debugger.ts'
import { BREAKPOINT_KINDS, breakpointKind } from './breakpoint-kinds.ts'

/** The breakpoints, which can be disabled, and a form to add one. */
export function BreakpointsPane({ debug }: { readonly debug: Debugger }) {
  const kind = useSignal(BREAKPOINT_KINDS[0].prefix)
  const problem = useSignal('')
  const all = debug.breakpoints.value
  const chosen = breakpointKind(kind.value)

  const add = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const field = form.elements.namedItem('place') as HTMLInputElement
    try {
      const stop = parseStop(`${kind.value}:${field.value.trim()}`)
      const when = (form.elements.namedItem('when') as HTMLInputElement).value.trim()
      if (when !== '') parseWatch(when)
      const condition = when === '' ? {} : { when }
      const others = all.filter((each) => !isSameStop(each.stop, stop))
      debug.setBreakpoints([...others, { stop, ...condition, isEnabled: true }])
      problem.value = ''
      form.reset()
    } catch (thrown) {
      problem.value = toPlainError(thrown).message
    }
    field.focus()
  }

  return (
    <>
      <ul class="breakpoints" aria-label="Breakpoints">
        {all.map((breakpoint, at) => (
          <li key={describeBreakpoint(breakpoint)}>
            <label>
              <input
                type="checkbox"
                checked={breakpoint.isEnabled}
                onChange={() => debug.setBreakpoints(all.with(at, switched(breakpoint)))}
              />{' '}
              {safeText(describeBreakpoint(breakpoint))}
            </label>
            <button
              type="button"
              class="button"
              aria-label={`Remove the breakpoint ${describeStop(breakpoint.stop)}`}
              onClick={() => {
                debug.setBreakpoints(all.toSpliced(at, 1))
                document.getElementById('breakpoint-place')?.focus()
              }}
            >
              remove
            </button>
          </li>
        ))}
      </ul>
      <form class="breakpoint-form" onSubmit={add}>
        <label for="breakpoint-kind">Stop at</label>
        <select
          id="breakpoint-kind"
          value={kind.value}
          onChange={(event) => {
            kind.value = event.currentTarget.value
          }}
        >
          {BREAKPOINT_KINDS.map(({ prefix, name }) => (
            <option key={prefix} value={prefix}>
              {name}
            </option>
          ))}
        </select>
        <input
          id="breakpoint-place"
          type="text"
          name="place"
          aria-label={chosen.asks}
          placeholder={chosen.example}
          autocomplete="off"
          spellcheck={false}
          aria-invalid={problem.value !== ''}
          aria-describedby="breakpoint-problem"
        />
        <label for="breakpoint-when">if</label>
        <input
          id="breakpoint-when"
          type="text"
          name="when"
          aria-label="Condition, if any"
          placeholder="balances[msg.sender] > 5"
          autocomplete="off"
          spellcheck={false}
          aria-describedby="breakpoint-problem"
        />
        <button type="submit" class="button">
          Add
        </button>
      </form>
      <p id="breakpoint-problem" class="problem" role="alert">
        {problem.value}
      </p>
      <p class="muted">Key b sets one at the current step; c runs to the next one, C back.</p>
    </>
  )
}

function switched(breakpoint: Breakpoint): Breakpoint {
  return { ...breakpoint, isEnabled: !breakpoint.isEnabled }
}
