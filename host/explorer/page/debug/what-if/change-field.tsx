import { useSignal } from '@preact/signals'
import type { TargetedSubmitEvent } from 'preact'
import { toPlainError } from '../../../../base/plain-error.ts'

interface Props {
  readonly id: string
  readonly label: string
  /** The current value. */
  readonly value: string
  readonly unit?: string
  readonly isLong?: boolean
  /** @throws LockstepError if the text is not a valid value */
  readonly onSet: (text: string) => void
}

/** A value that can be changed: Enter or the button runs the transaction again with it. */
export function ChangeField({ id, label, value, unit, isLong = false, onSet }: Props) {
  const problem = useSignal('')
  const set = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const field = event.currentTarget.elements.namedItem(id) as HTMLInputElement
    try {
      onSet(field.value)
      problem.value = ''
    } catch (thrown) {
      problem.value = toPlainError(thrown).message
    }
  }
  const shared = {
    id,
    name: id,
    value,
    autocomplete: 'off',
    spellcheck: false,
    'aria-invalid': problem.value !== '',
    'aria-describedby': `${id}-problem`,
  } as const
  return (
    <form class="change-field" onSubmit={set}>
      <label for={id}>
        {label}
        {unit !== undefined && <span class="muted"> {unit}</span>}
      </label>
      {isLong ? <textarea rows={3} {...shared} /> : <input type="text" {...shared} />}
      <button type="submit" class="button" aria-label={`Run with this ${label}`}>
        Run
      </button>
      <p id={`${id}-problem`} class="problem" role="alert">
        {problem.value}
      </p>
    </form>
  )
}
