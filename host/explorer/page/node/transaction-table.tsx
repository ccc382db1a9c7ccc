import type { Hex } from '../../../base/hex.ts'
import { hasFailed, type MinedRow, type TransactionRow } from '../../browser/source/block-rows.ts'
import type { ContractRegistry } from '../decode/abi/contract-registry.ts'
import { decodeCalldata } from '../decode/abi/decode-item.ts'
import { countText, weiText } from '../decode/format/amount.ts'
import { durationText } from '../decode/format/duration-text.ts'
import { middleCut } from '../decode/format/middle-cut.ts'
import { timeText } from '../decode/format/time-text.ts'
import { ShowMore, useShown } from '../list/show-more.tsx'
import { useExplorer } from '../state/explorer-context.ts'
import { AddressLink } from '../text/address-link.tsx'
import { Link } from '../text/link.tsx'
import { TableFrame } from '../text/table-frame.tsx'

interface Props {
  readonly label: string
  readonly rows: readonly MinedRow[]
}

/** A table of transactions. */
export function NodeTransactionTable({ label, rows }: Props) {
  const lens = useExplorer().uploads.lens.value
  const shown = useShown(50)
  return (
    <>
      <TableFrame label={label}>
        <table class="transactions" aria-label={label}>
          <thead>
            <tr>
              <th scope="col">Hash</th>
              <th scope="col">Status</th>
              <th scope="col">Function</th>
              <th scope="col">Block</th>
              <th scope="col">Age</th>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col" class="number">
                Value
              </th>
              <th scope="col" class="number">
                Gas used
              </th>
              <th scope="col" class="number">
                Fee
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown.value).map((row) => (
              <tr key={row.hash} class={hasFailed(row) ? 'is-failed' : ''}>
                <th scope="row">
                  <HashLink hash={row.hash} />
                </th>
                <td>
                  <StatusBadge row={row} />
                </td>
                <td class="mono nowrap">{functionOf(row, lens)}</td>
                <td>
                  {row.blockNumber === undefined ? (
                    'waiting'
                  ) : (
                    <Link to={{ page: { kind: 'block', block: `${row.blockNumber}` } }}>
                      {countText(row.blockNumber)}
                    </Link>
                  )}
                </td>
                <td class="nowrap" title={timeText(row.timestamp)}>
                  {ageText(row.timestamp)}
                </td>
                <td class="nowrap">
                  <AddressLink address={row.from} />
                </td>
                <td class="nowrap">
                  <Receiver row={row} />
                </td>
                <td class="number nowrap">{row.value === 0n ? '' : shortWei(row.value)}</td>
                <td class="number">{row.receipt && countText(row.receipt.gasUsed)}</td>
                <td class="number nowrap">{feeText(row)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      <ShowMore shown={shown} count={rows.length} what="transactions" />
    </>
  )
}

function StatusBadge({ row: { receipt } }: { readonly row: MinedRow }) {
  switch (receipt?.success) {
    case true:
      return <span class="badge is-good">ok</span>
    case false:
      return <span class="badge is-bad">failed</span>
    case undefined:
      return <>{receipt === undefined ? 'unknown' : 'none'}</>
  }
}

function Receiver({ row: { to, receipt } }: { readonly row: MinedRow }) {
  if (to !== undefined) return <AddressLink address={to} />
  const created = receipt?.success === true ? receipt.contractAddress : undefined
  return created === undefined ? (
    <>new contract</>
  ) : (
    <>
      new <AddressLink address={created} />
    </>
  )
}

function functionOf({ to, input }: TransactionRow, lens: ContractRegistry): string {
  if (to === undefined) return 'creation'
  if (input === '0x') return ''
  const found = decodeCalldata(input, lens, to)
  return middleCut(found.kind === 'decoded' ? found.item.name : (found.selector ?? input), 24)
}

/** An amount for a column: at most 12 significant characters, the full one is on the transaction's page. */
function shortWei(wei: bigint): string {
  const [amount = '', unit = ''] = weiText(wei).split(' ')
  return `${amount.length > 12 ? `${amount.slice(0, 11)}…` : amount} ${unit}`
}

function feeText({ receipt }: MinedRow): string {
  const price = receipt?.effectiveGasPrice
  return receipt === undefined || price === undefined ? '' : shortWei(receipt.gasUsed * price)
}

/** Clocks differ: a block of the future is of now. */
function ageText(timestamp: number): string {
  return durationText(Math.max(1, Math.floor(Date.now() / 1_000 - timestamp)))
}

/** The hash of a transaction, linked to it. */
function HashLink({ hash }: { readonly hash: Hex }) {
  return (
    <Link class="mono nowrap" to={{ page: { kind: 'tx', hash } }} title={hash}>
      {middleCut(hash, 18)}
    </Link>
  )
}
