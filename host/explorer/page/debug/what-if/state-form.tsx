import { useSignal } from '@preact/signals'
import type { TargetedSubmitEvent } from 'preact'
import type { Hex } from '../../../../base/hex.ts'
import { toPlainError } from '../../../../base/plain-error.ts'
import type { SlotValue } from '../../../browser/step/stepper.ts'
import { parseChange } from '../../state/debug/change-text.ts'
import type { WhatIfRun } from '../../state/debug/what-if-run.ts'
import { useSlotNaming } from '../pane/use-slot-meanings.ts'
import type { WhatIfProps } from './what-if-props.ts'

/** The editable parts of an account. */
const KINDS = [
  { kind: 'slot', name: 'a storage slot', asks: 'Value', example: '0x…' },
  { kind: 'balance', name: 'the balance', asks: 'Balance in wei', example: '1000000000000000000' },
  { kind: 'code', name: 'the code', asks: 'Code', example: '0x…' },
] as const

/** Slots of an account that the run is known to have touched. */
function knownSlots(run: WhatIfRun, address: Hex): readonly SlotValue[] {
  const step = run.step.value
  const touched = step?.address === address ? step.storage : []
  const changes = run.summary.value?.changes.find((change) => change.address === address)
  const changed = (changes?.slots ?? []).map(({ slot, before, after }) => {
    return { slot, value: after, original: before }
  })
  return [...new Map([...changed, ...touched].map((each) => [each.slot, each])).values()]
}

/** An account before the transaction. */
export function StateForm({ run, whatIf }: WhatIfProps) {
  const kind = useSignal<string>(KINDS[0].kind)
  const problem = useSignal('')
  const chosen = KINDS.find((each) => each.kind === kind.value) ?? KINDS[0]
  const account = useSignal('')
  const address = account.value.trim().toLowerCase() as Hex
  const naming = useSlotNaming(run, address, 'storage')
  const slots = knownSlots(run, address)
  const names = [...naming.meanings(slots).values()].flatMap(({ name }) => name.split(', '))
  const addresses = [...new Set(run.calls.value.map(({ to }) => to))]
  const set = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { elements } = event.currentTarget
    const textOf = (name: string) => (elements.namedItem(name) as HTMLInputElement).value.trim()
    const slot = () => naming.slotOf(textOf('slot'), slots) ?? textOf('slot')
    const parts = [textOf('account'), ...(chosen.kind === 'slot' ? [slot()] : []), textOf('value')]
    try {
      whatIf.set(parseChange([chosen.kind, ...parts].join(':')))
      problem.value = ''
    } catch (thrown) {
      problem.value = toPlainError(thrown).message
    }
  }
  return (
    <fieldset>
      <legend>State before it</legend>
      <form onSubmit={set} aria-label="Change an account">
        <div class="change-field">
          <label for="what-if-kind">Change</label>
          <select
            id="what-if-kind"
            value={kind.value}
            onChange={(event) => {
              kind.value = event.currentTarget.value
            }}
          >
            {KINDS.map((each) => (
              <option key={each.kind} value={each.kind}>
                {each.name}
              </option>
            ))}
          </select>
        </div>
        <div class="change-field">
          <label for="what-if-account">Account</label>
          <input
            type="text"
            id="what-if-account"
            name="account"
            list="what-if-accounts"
            value={account.value}
            onInput={(event) => {
              account.value = event.currentTarget.value
            }}
            placeholder="0x…"
            autocomplete="off"
            spellcheck={false}
          />
          <datalist id="what-if-accounts">
            {addresses.map((address) => (
              <option key={address} value={address} />
            ))}
          </datalist>
        </div>
        {chosen.kind === 'slot' && (
          <div class="change-field">
            <label for="what-if-slot">
              Slot <span class="muted">or variable</span>
            </label>
            <input
              type="text"
              id="what-if-slot"
              name="slot"
              placeholder="0x0"
              list="what-if-slots"
              autocomplete="off"
              spellcheck={false}
            />
            <datalist id="what-if-slots">
              {names.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </div>
        )}
        <div class="change-field">
          <label for="what-if-state-value">{chosen.asks}</label>
          <input
            type="text"
            id="what-if-state-value"
            name="value"
            placeholder={chosen.example}
            autocomplete="off"
            spellcheck={false}
            aria-describedby="what-if-state-problem"
          />
        </div>
        <button type="submit" class="button">
          Run with this state
        </button>
        <p id="what-if-state-problem" class="problem" role="alert">
          {problem.value}
        </p>
      </form>
    </fieldset>
  )
}
