import type { DecodedValue } from '../decode/abi/value.ts'
import { LongText } from './long-text.tsx'
import { TableFrame } from './table-frame.tsx'

interface Props {
  readonly caption: string
  readonly values: readonly DecodedValue[]
}

/** Maximum rows; the text of a value contains all. */
const MOST = 200

/** Decoded values: name, type, value. */
export function ValueTable({ caption, values }: Props) {
  if (values.length === 0) return <p class="muted">{caption}</p>
  return (
    <TableFrame label="Values">
      <table class="values">
        <caption class="mono">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {values.slice(0, MOST).map((value, place) => (
            <tr key={`${place} ${value.name}`}>
              <th scope="row" class="mono">
                {value.name ?? `#${place}`}
              </th>
              <td class="mono muted type">{value.internalType ?? value.type}</td>
              <td class="value">
                <LongText text={value.text} name={`value ${value.name ?? place}`} />
                {value.problem !== undefined && <span class="bad"> {value.problem}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {values.length > MOST && <p class="muted">And {values.length - MOST} more.</p>}
    </TableFrame>
  )
}
