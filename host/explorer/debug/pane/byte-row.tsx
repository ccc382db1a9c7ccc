import { asciiOf, formatOffset } from '../word.ts'
import { BYTES_A_ROW } from './byte-target.ts'
import { type MemoryMarks, markOf } from './memory-marks.ts'

interface Props {
  readonly id: string
  readonly row: number
  readonly bytes: Uint8Array
  readonly marks: MemoryMarks
  readonly active: number | undefined
  readonly onActive: (offset: number) => void
}

export function ByteRow({ id, row, bytes, marks, active, onActive }: Props) {
  const start = row * BYTES_A_ROW
  const shown = bytes.subarray(start, start + BYTES_A_ROW)
  let ascii = ''
  for (const byte of shown) ascii += asciiOf(byte)
  return (
    <div id={`${id}-${row}`} role="row" aria-rowindex={row + 1} class="grid-row">
      <span role="rowheader" class="byte-offset">
        {formatOffset(start)}
      </span>
      {Array.from(shown, (byte, at) => {
        const offset = start + at
        const isActive = offset === active
        return (
          <span
            key={at}
            id={`${id}-byte-${offset}`}
            role="gridcell"
            aria-selected={isActive}
            class={`byte${markOf(marks, offset)}${isActive ? ' is-active' : ''}${byte === 0 ? ' is-zero' : ''}`}
            onClick={() => onActive(offset)}
          >
            {byte.toString(16).padStart(2, '0')}
          </span>
        )
      })}
      <span role="gridcell" class="byte-ascii">
        {ascii}
      </span>
    </div>
  )
}
