import { decodeCalldata } from '../../decode/abi/decode-item.ts'
import type { Change } from '../../state/debug/change.ts'
import { parseChange } from '../../state/debug/change-text.ts'
import { useExplorer } from '../../state/explorer-context.ts'
import { ArgumentsForm } from './arguments-form.tsx'
import { ChangeField } from './change-field.tsx'
import type { WhatIfProps } from './what-if-props.ts'

/** The members of the transaction itself. */
export function TransactionForm({ run, whatIf }: WhatIfProps) {
  const { transaction } = run
  const { uploads: knowledge } = useExplorer()
  const changes = whatIf.changes.value
  const changed = <Kind extends Change['kind']>(kind: Kind) =>
    changes.find((change): change is Extract<Change, { kind: Kind }> => change.kind === kind)
  const input = changed('data')?.data ?? transaction.input
  const decoded = decodeCalldata(input, knowledge.lens.value, transaction.to)
  const set = (prefix: string) => (text: string) =>
    whatIf.set(parseChange(`${prefix}:${text.trim()}`))
  return (
    <fieldset>
      <legend>Transaction</legend>
      {decoded.kind === 'decoded' && decoded.isExact && decoded.values.length > 0 && (
        <ArgumentsForm
          key={input}
          decoded={decoded}
          onSet={(data) => whatIf.set({ kind: 'data', data })}
        />
      )}
      <ChangeField id="what-if-data" label="calldata" isLong value={input} onSet={set('data')} />
      <ChangeField
        id="what-if-value"
        label="value"
        unit="wei"
        value={`${changed('value')?.wei ?? transaction.value}`}
        onSet={set('value')}
      />
      <ChangeField
        id="what-if-from"
        label="sender"
        value={changed('from')?.address ?? transaction.from}
        onSet={set('from')}
      />
      <ChangeField
        id="what-if-gas"
        label="gas limit"
        value={`${changed('gas')?.gas ?? transaction.gas}`}
        onSet={set('gas')}
      />
    </fieldset>
  )
}
