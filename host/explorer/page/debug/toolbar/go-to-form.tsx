import type { TargetedSubmitEvent } from 'preact'
import { countText } from '../../decode/format/amount.ts'
import type { Debugger } from '../../state/debug/debugger.ts'
import { GO_TO_FIELD } from './actions.ts'

/** The number of the current step, as a field to enter another one. */
export function GoToForm({ debug }: { readonly debug: Debugger }) {
  const { steps } = debug
  const index = debug.run.stepIndex.value
  const go = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const field = event.currentTarget.elements.namedItem('step') as HTMLInputElement
    const target = Number(field.value.replaceAll(/[\s_,]/g, ''))
    if (field.value.trim() !== '' && Number.isInteger(target) && target >= 0 && target < steps) {
      debug.goTo(target)
      document.getElementById('steps')?.focus()
    } else {
      debug.answer.value = `${JSON.stringify(field.value)} is not a step of this transaction: they are 0 to ${steps - 1}.`
    }
  }
  return (
    <form class="go-to" onSubmit={go}>
      <label for={GO_TO_FIELD}>Step</label>
      <input
        id={GO_TO_FIELD}
        type="text"
        name="step"
        inputMode="numeric"
        autocomplete="off"
        value={index}
        onFocus={(event) => event.currentTarget.select()}
      />
      <span>of {countText(Math.max(0, steps - 1))}</span>
    </form>
  )
}
