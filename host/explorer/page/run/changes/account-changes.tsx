import { useMemo } from 'preact/hooks'
import type { AccountChange } from '../../../browser/step/stepper.ts'
import { countText, signedWei, weiText } from '../../decode/format/amount.ts'
import type { VariableChange } from '../../decode/storage/variable-changes.ts'
import { ShowMore, useShown } from '../../list/show-more.tsx'
import { namedChanges } from '../../sources/variables.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { AddressLink } from '../../text/address-link.tsx'
import { TableFrame } from '../../text/table-frame.tsx'
import { VariableRow } from './variable-row.tsx'

interface Props {
  readonly run: OpenedRun
  readonly change: AccountChange
  /** The run's preimages, from which key names are derived. */
  readonly hashed: readonly Uint8Array[]
}

/** An account: its balance, nonce, code and slots, before and after. */
export function AccountChanges({ run, change, hashed }: Props) {
  const { address, balance, nonce, codeHash } = change
  const variables = useVariables(run, change, hashed)
  const shown = useShown(100)
  const titleId = `change-${address}`
  return (
    <section class="account-changes" aria-labelledby={titleId}>
      <h2 id={titleId}>
        <AddressLink address={address} isLong />
      </h2>
      <TableFrame label={`Changes of ${address}`}>
        <table aria-labelledby={titleId}>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {balance[0] !== balance[1] && (
              <tr>
                <th scope="row">Balance</th>
                <td data-label="before">{weiText(balance[0])}</td>
                <td data-label="after">{weiText(balance[1])}</td>
                <td data-label="change">{signedWei(balance[1] - balance[0])}</td>
              </tr>
            )}
            {nonce[0] !== nonce[1] && (
              <tr>
                <th scope="row">Nonce</th>
                <td data-label="before">{countText(nonce[0])}</td>
                <td data-label="after">{countText(nonce[1])}</td>
                <td data-label="change">+{countText(nonce[1] - nonce[0])}</td>
              </tr>
            )}
            {codeHash[0] !== codeHash[1] && (
              <tr>
                <th scope="row">Code hash</th>
                <td class="mono" data-label="before">
                  {codeHash[0]}
                </td>
                <td class="mono" data-label="after">
                  {codeHash[1]}
                </td>
                <td />
              </tr>
            )}
            {variables.slice(0, shown.value).map((variable) => (
              <VariableRow
                key={`${variable.slots[0]} ${variable.path}`}
                run={run}
                address={address}
                change={variable}
              />
            ))}
          </tbody>
        </table>
      </TableFrame>
      <ShowMore shown={shown} count={variables.length} what="slots" />
    </section>
  )
}

function useVariables(
  run: OpenedRun,
  change: AccountChange,
  hashed: readonly Uint8Array[],
): readonly VariableChange[] {
  const contracts = run.sources.value?.contractsOf(change.address) ?? []
  return useMemo(
    () => namedChanges(change, contracts, hashed, run.calls.value),
    [change, run.sources.value, hashed],
  )
}
