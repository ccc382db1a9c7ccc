import type { AccountChange } from '../../../browser/stepper.ts'
import { countText, weiText } from '../../decode/format/amount.ts'
import { ShowMore, useShown } from '../../list/show-more.tsx'
import { AddressLink } from '../../text/address-link.tsx'
import type { OpenedRun } from '../opened-run.ts'
import { signedWei } from './signed-wei.ts'
import { SlotChange } from './slot-change.tsx'

interface Props {
  readonly run: OpenedRun
  readonly change: AccountChange
}

/** One account: its balance, nonce, code and slots, before and after. */
export function AccountChanges({ run, change }: Props) {
  const { address, balance, nonce, codeHash, slots } = change
  const shown = useShown(100)
  const titleId = `change-${address}`
  return (
    <section class="account-changes" aria-labelledby={titleId}>
      <h2 id={titleId}>
        <AddressLink address={address} isLong />
      </h2>
      <div class="table-frame">
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
                <td class="number">{weiText(balance[0])}</td>
                <td class="number">{weiText(balance[1])}</td>
                <td class="number">{signedWei(balance[1] - balance[0])}</td>
              </tr>
            )}
            {nonce[0] !== nonce[1] && (
              <tr>
                <th scope="row">Nonce</th>
                <td class="number">{countText(nonce[0])}</td>
                <td class="number">{countText(nonce[1])}</td>
                <td class="number">+{countText(nonce[1] - nonce[0])}</td>
              </tr>
            )}
            {codeHash[0] !== codeHash[1] && (
              <tr>
                <th scope="row">Hash of the code</th>
                <td class="mono">{codeHash[0]}</td>
                <td class="mono">{codeHash[1]}</td>
                <td />
              </tr>
            )}
            {slots.slice(0, shown.value).map((slot) => (
              <SlotChange key={slot.slot} run={run} address={address} change={slot} />
            ))}
          </tbody>
        </table>
      </div>
      <ShowMore shown={shown} count={slots.length} what="slots" />
    </section>
  )
}
