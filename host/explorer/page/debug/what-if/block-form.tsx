import { useSignal } from '@preact/signals'
import { BLOCK_FIELDS, type BlockField, formatBlockValue } from '../../state/debug/change.ts'
import { parseChange } from '../../state/debug/change-text.ts'
import { ChangeField } from './change-field.tsx'
import type { WhatIfProps } from './what-if-props.ts'

/** The block that the transaction runs in. */
export function BlockForm({ run, whatIf }: WhatIfProps) {
  const field = useSignal<BlockField>('timestamp')
  const changed = whatIf.changes.value.find(
    (change) => change.kind === 'block' && change.field === field.value,
  )
  const own = BigInt(run.block[field.value])
  const value = changed?.kind === 'block' ? changed.value : own
  return (
    <fieldset>
      <legend>Block</legend>
      <div class="change-field">
        <label for="what-if-field">Field</label>
        <select
          id="what-if-field"
          value={field.value}
          onChange={(event) => {
            field.value = event.currentTarget.value as BlockField
          }}
        >
          {BLOCK_FIELDS.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </div>
      <ChangeField
        key={field.value}
        id="what-if-block"
        label={`block.${field.value}`}
        value={formatBlockValue(field.value, value)}
        onSet={(text) => whatIf.set(parseChange(`block:${field.value}:${text.trim()}`))}
      />
    </fieldset>
  )
}
