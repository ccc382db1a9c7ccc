import { type Signal, useSignal } from '@preact/signals'
import type { TargetedSubmitEvent } from 'preact'
import { toPlainError } from '../../../base/plain-error.ts'
import {
  BLOCK_FIELDS,
  type Change,
  describeChange,
  subjectOf,
  withChange,
  withoutChange,
} from '../state/debug/change.ts'
import { parseChange } from '../state/debug/change-text.ts'
import { CallField } from './call-field.tsx'

/** What can be overridden, with the kind of change that it is. */
const SUBJECTS = [
  { subject: 'balance', name: 'balance of an account', asks: 'Balance', note: 'wei' },
  { subject: 'slot', name: 'storage slot', asks: 'Value' },
  { subject: 'code', name: 'code of an account', asks: 'Code' },
  ...BLOCK_FIELDS.map((field) => ({
    subject: `block:${field}`,
    name: `block.${field}`,
    asks: 'Value',
  })),
] as const

const PROBLEM = 'override-problem'

interface Props {
  readonly overrides: Signal<readonly Change[]>
  /** The address of the call, as a start. */
  readonly address: string
}

/** State and block of a call, where they differ from those of the node. */
export function OverrideForm({ overrides, address }: Props) {
  const subject = useSignal<string>(SUBJECTS[0].subject)
  const problem = useSignal('')
  const chosen = SUBJECTS.find((each) => each.subject === subject.value) ?? SUBJECTS[0]
  const isOfBlock = chosen.subject.startsWith('block:')
  const add = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { elements } = event.currentTarget
    const textOf = (name: string) => {
      const field = elements.namedItem(name)
      return field instanceof HTMLInputElement ? [field.value.trim()] : []
    }
    const parts = ['override-account', 'override-slot', 'override-value'].flatMap(textOf)
    try {
      overrides.value = withChange(
        overrides.value,
        parseChange([chosen.subject, ...parts].join(':')),
      )
      problem.value = ''
    } catch (thrown) {
      problem.value = toPlainError(thrown).message
    }
  }
  return (
    <fieldset>
      <legend>Overrides of state and block</legend>
      {overrides.value.length > 0 && (
        <ul class="lines" aria-label="Overrides">
          {overrides.value.map((change) => (
            <li key={subjectOf(change)}>
              {describeChange(change)}{' '}
              <button
                type="button"
                class="button"
                aria-label={`Remove the override of ${subjectOf(change)}`}
                onClick={() => {
                  overrides.value = withoutChange(overrides.value, subjectOf(change))
                }}
              >
                remove
              </button>
            </li>
          ))}
        </ul>
      )}
      <form onSubmit={add} aria-label="Add an override">
        <div class="change-field">
          <label for="override-subject">Override</label>
          <select
            id="override-subject"
            value={subject.value}
            onChange={(event) => {
              subject.value = event.currentTarget.value
            }}
          >
            {SUBJECTS.map(({ subject: value, name }) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </div>
        {!isOfBlock && (
          <CallField
            id="override-account"
            label="Account"
            start={address}
            example="0x…"
            describedBy={PROBLEM}
          />
        )}
        {chosen.subject === 'slot' && (
          <CallField id="override-slot" label="Slot" start="" example="0x0" describedBy={PROBLEM} />
        )}
        <CallField
          id="override-value"
          label={chosen.asks}
          {...('note' in chosen && { note: chosen.note })}
          start=""
          describedBy={PROBLEM}
        />
        <button type="submit" class="button">
          Add
        </button>
        <p id={PROBLEM} class="problem" role="alert">
          {problem.value}
        </p>
      </form>
    </fieldset>
  )
}
