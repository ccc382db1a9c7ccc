import type { Hex } from '../../../base/hex.ts'
import type { TransactionRow } from '../../browser/source/block-rows.ts'
import type { ContractRegistry } from '../decode/abi/contract-registry.ts'
import { decodeCalldata } from '../decode/abi/decode-item.ts'
import { countText, weiText } from '../decode/format/amount.ts'
import { middleCut } from '../decode/format/middle-cut.ts'
import { ShowMore, useShown } from '../list/show-more.tsx'
import { useExplorer } from '../state/explorer-context.ts'
import { AddressLink } from '../text/address-link.tsx'
import { Link } from '../text/link.tsx'
import { TableFrame } from '../text/table-frame.tsx'

interface Props {
  readonly label: string
  readonly rows: readonly TransactionRow[]
}

/** A table of transactions. */
export function NodeTransactionTable({ label, rows }: Props) {
  const lens = useExplorer().uploads.lens.value
  const shown = useShown(50)
  return (
    <>
      <TableFrame label={label}>
        <table aria-label={label}>
          <thead>
            <tr>
              <th scope="col">Hash</th>
              <th scope="col">Block</th>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col">Function</th>
              <th scope="col" class="number">
                Value
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown.value).map((row) => (
              <tr key={row.hash}>
                <th scope="row">
                  <HashLink hash={row.hash} />
                </th>
                <td>
                  {row.blockNumber === undefined ? (
                    'waiting'
                  ) : (
                    <Link to={{ page: { kind: 'block', block: `${row.blockNumber}` } }}>
                      {countText(row.blockNumber)}
                    </Link>
                  )}
                </td>
                <td>
                  <AddressLink address={row.from} />
                </td>
                <td>{row.to === undefined ? 'new contract' : <AddressLink address={row.to} />}</td>
                <td class="mono">{functionOf(row, lens)}</td>
                <td class="number">{row.value === 0n ? '' : weiText(row.value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      <ShowMore shown={shown} count={rows.length} what="transactions" />
    </>
  )
}

function functionOf({ to, input }: TransactionRow, lens: ContractRegistry): string {
  if (to === undefined || input === '0x') return ''
  const found = decodeCalldata(input, lens, to)
  return middleCut(found.kind === 'decoded' ? found.item.name : (found.selector ?? input), 40)
}

/** The hash of a transaction, linked to it. */
function HashLink({ hash }: { readonly hash: Hex }) {
  return (
    <Link class="mono" to={{ page: { kind: 'tx', hash } }} title={hash}>
      {middleCut(hash, 18)}
    </Link>
  )
}
