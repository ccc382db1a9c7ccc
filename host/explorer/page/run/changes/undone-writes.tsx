import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Hex } from '../../../../base/hex.ts'
import type { UndoneWrites } from '../../../browser/step/stepper.ts'
import { countText } from '../../decode/format/amount.ts'
import { ShowMore, useShown } from '../../list/show-more.tsx'
import { namedChanges } from '../../sources/variables.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { AddressLink } from '../../text/address-link.tsx'
import { TableFrame } from '../../text/table-frame.tsx'
import { SlotValueText, VariableName } from './variable-row.tsx'

interface Props {
  readonly run: OpenedRun
  /** The run's preimages, from which key names are derived. */
  readonly hashed: readonly Uint8Array[]
}

/** The writes that failures reverted; nothing if there are none. */
export function UndoneWriteList({ run, hashed }: Props) {
  const undone = useSignal<readonly UndoneWrites[]>([])
  const shown = useShown(50)
  useEffect(() => {
    let isWanted = true
    run.stepper.undoneWrites().then(
      (found) => {
        if (isWanted) undone.value = found
      },
      (thrown) => run.fail(thrown),
    )
    return () => {
      isWanted = false
    }
  }, [run, undone])
  if (undone.value.length === 0) return null
  return (
    <section aria-labelledby="undone-title">
      <h2 id="undone-title">Undone writes</h2>
      <p class="muted">A failure reverted them, so they are not in the state.</p>
      {undone.value.slice(0, shown.value).map((writes) => (
        <AccountWrites key={writes.address} run={run} hashed={hashed} writes={writes} />
      ))}
      <ShowMore shown={shown} count={undone.value.length} what="accounts" />
    </section>
  )
}

function AccountWrites({ run, hashed, writes }: Props & { readonly writes: UndoneWrites }) {
  const { address, slots } = writes
  const shown = useShown(100)
  const variables = useMemo(() => {
    const contracts = run.sources.value?.contractsOf(address) ?? []
    return namedChanges({ slots }, contracts, hashed, run.calls.value)
  }, [slots, run.sources.value, hashed])
  const steps = useMemo(() => new Map(slots.map(({ slot, step }) => [slot, step])), [slots])
  const goTo = (step: number) => run.location.set({ tab: 'debug', step, call: undefined }, 'push')
  const titleId = `undone-${address}`
  return (
    <section class="account-changes" aria-labelledby={titleId}>
      <h3 id={titleId}>
        <AddressLink address={address} isLong />
      </h3>
      <TableFrame label={`Undone writes of ${address}`}>
        <table aria-labelledby={titleId}>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Stayed</th>
              <th scope="col">Written</th>
              <th scope="col">Step</th>
            </tr>
          </thead>
          <tbody>
            {variables.slice(0, shown.value).map(({ path, type, before, after, slots }) => {
              const step = steps.get(slots[0] as Hex) ?? 0
              return (
                <tr key={`${slots[0]} ${path}`}>
                  <th scope="row">
                    <VariableName path={path} type={type} slots={slots} />
                  </th>
                  <td class="mono" data-label="stayed">
                    <SlotValueText path={path} text={before} />
                  </td>
                  <td class="mono" data-label="written">
                    <SlotValueText path={path} text={after} />
                  </td>
                  <td data-label="step">
                    <button type="button" class="text-button nowrap" onClick={() => goTo(step)}>
                      {countText(step)}
                    </button>
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </TableFrame>
      <ShowMore shown={shown} count={variables.length} what="slots" />
    </section>
  )
}
