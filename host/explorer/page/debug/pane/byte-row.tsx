import { useMemo } from 'preact/hooks'
import { asciiOf, formatOffset } from '../../state/debug/word.ts'
import { BYTES_A_ROW } from './byte-target.ts'
import { type MemoryMarks, memoryMarkOf } from './memory-marks.ts'

interface Props {
  readonly id: string
  readonly row: number
  readonly bytes: Uint8Array
  readonly marks: MemoryMarks
  readonly active: number | undefined
  readonly onActive: (offset: number) => void
}

/** Rerendered only on change: most of hundreds of bytes stay the same. */
export function ByteRow({ id, row, bytes, marks, active, onActive }: Props) {
  const start = row * BYTES_A_ROW
  const shown = bytes.subarray(start, start + BYTES_A_ROW)
  const classes = Array.from(shown, (byte, at) => {
    const own = start + at === active ? ' is-active' : ''
    return `${memoryMarkOf(marks, start + at)}${own}${byte === 0 ? ' is-zero' : ''}`
  })
  return useMemo(
    () => (
      <div id={`${id}-${row}`} role="row" aria-rowindex={row + 1} class="grid-row">
        <span role="rowheader" class="byte-offset">
          {formatOffset(start)}
        </span>
        {Array.from(shown, (byte, at) => (
          <span
            key={at}
            id={`${id}-byte-${start + at}`}
            role="gridcell"
            aria-selected={start + at === active}
            class={`byte${classes[at]}`}
            onClick={() => onActive(start + at)}
          >
            {byte.toString(16).padStart(2, '0')}
          </span>
        ))}
        <span role="gridcell" class="byte-ascii">
          {Array.from(shown, asciiOf).join('')}
        </span>
      </div>
    ),
    [id, row, shown.join(), classes.join()],
  )
}
