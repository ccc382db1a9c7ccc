import { useSignal } from '@preact/signals'
import type { TargetedSubmitEvent } from 'preact'
import type { Hex } from '../../../../base/hex.ts'
import { toPlainError } from '../../../../base/plain-error.ts'
import type { Decoded } from '../../decode/abi/decoded.ts'
import { safeText } from '../../decode/format/safe-text.ts'
import { argumentText, encodeTypedCall } from './argument.ts'

interface Props {
  readonly decoded: Decoded
  readonly onSet: (data: Hex) => void
}

/** The arguments of a call, a field for each. */
export function ArgumentsForm({ decoded, onSet }: Props) {
  const problem = useSignal('')
  const set = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { elements } = event.currentTarget
    const texts = decoded.values.map(
      (_, at) => (elements.namedItem(`argument-${at}`) as HTMLInputElement).value,
    )
    try {
      onSet(encodeTypedCall(decoded.item, texts))
      problem.value = ''
    } catch (thrown) {
      problem.value = toPlainError(thrown).message
    }
  }
  return (
    <form class="arguments" onSubmit={set} aria-label={`Arguments of ${decoded.item.name}`}>
      <p>
        <code>{safeText(decoded.item.name)}</code>
      </p>
      {decoded.values.map((value, at) => (
        <div class="change-field" key={at}>
          <label for={`argument-${at}`}>
            {safeText(value.name ?? `argument ${at}`)} <span class="muted">{value.type}</span>
          </label>
          <input
            type="text"
            id={`argument-${at}`}
            name={`argument-${at}`}
            value={argumentText(value)}
            autocomplete="off"
            spellcheck={false}
            aria-describedby="arguments-problem"
          />
        </div>
      ))}
      <button type="submit" class="button">
        Run with these arguments
      </button>
      <p id="arguments-problem" class="problem" role="alert">
        {problem.value}
      </p>
    </form>
  )
}
