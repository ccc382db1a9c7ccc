import type { BlockRow } from '../../browser/source/block-rows.ts'
import { countText } from '../decode/format/amount.ts'
import { timeText } from '../decode/format/time-text.ts'
import { Link } from '../text/link.tsx'
import { TableFrame } from '../text/table-frame.tsx'

/** A table of blocks. */
export function BlockTable({ rows }: { readonly rows: readonly BlockRow[] }) {
  return (
    <TableFrame label="Blocks">
      <table aria-label="Blocks">
        <thead>
          <tr>
            <th scope="col">Block</th>
            <th scope="col">Time (UTC)</th>
            <th scope="col" class="number">
              Transactions
            </th>
            <th scope="col" class="number">
              Gas used
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ number, hash, timestamp, transactionCount, gasUsed }) => (
            <tr key={hash}>
              <th scope="row">
                <Link to={{ page: { kind: 'block', block: `${number}` } }} title={hash}>
                  {countText(number)}
                </Link>
              </th>
              <td class="nowrap">{timeText(timestamp).slice(0, 19)}</td>
              <td class="number">{countText(transactionCount)}</td>
              <td class="number">{countText(gasUsed)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  )
}
