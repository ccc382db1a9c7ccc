import { TableFrame } from '../../text/table-frame.tsx'
import type { OutcomeRow } from './outcome-rows.ts'

interface Props {
  readonly title: string
  readonly rows: readonly OutcomeRow[]
}

/** Maximum rows: a transaction may change thousands of slots. */
const SHOWN = 200

/** Values of two runs side by side, with differences marked. */
export function OutcomeTable({ title, rows }: Props) {
  if (rows.length === 0) return null
  return (
    <TableFrame label={title}>
      <table class="outcome">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Original</th>
            <th scope="col">With the changes</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map(({ what, before, after, isSame }) => (
            <tr key={what} class={isSame ? '' : 'is-changed'}>
              <th scope="row">{what}</th>
              <td>{before}</td>
              <td>{after}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > SHOWN && <p class="muted">and {rows.length - SHOWN} more</p>}
    </TableFrame>
  )
}
