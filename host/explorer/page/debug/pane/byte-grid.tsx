import { VirtualGrid } from '../list/virtual-grid.tsx'
import { ByteRow } from './byte-row.tsx'
import { BYTES_A_ROW, byteTarget } from './byte-target.ts'
import type { MemoryMarks } from './memory-marks.ts'

interface Props {
  readonly id: string
  readonly label: string
  readonly bytes: Uint8Array
  readonly marks: MemoryMarks
  /** The current byte. */
  readonly active: number | undefined
  readonly onActive: (offset: number) => void
  readonly onKey?: (event: KeyboardEvent) => boolean
}

/** Any number of bytes in hex and ASCII. Arrow keys move from byte to byte. */
export function ByteGrid({ id, label, bytes, marks, active, onActive, onKey }: Props) {
  const touched = (marks.writes[0] ?? marks.reads[0] ?? marks.changed[0])?.offset
  const isThere = touched !== undefined && touched < bytes.length
  const move = (event: KeyboardEvent): boolean => {
    if (onKey?.(event) === true) return true
    const target = byteTarget(event.key, active, bytes.length)
    if (target !== undefined) onActive(target)
    return target !== undefined
  }
  return (
    <VirtualGrid
      id={id}
      label={label}
      class="byte-grid"
      rows={Math.ceil(bytes.length / BYTES_A_ROW)}
      active={active === undefined ? undefined : Math.floor(active / BYTES_A_ROW)}
      activeId={`${id}-byte-${active}`}
      onActive={(row) => onActive(row * BYTES_A_ROW)}
      revealed={isThere ? Math.floor(touched / BYTES_A_ROW) : undefined}
      onKey={move}
      row={(row) => (
        <ByteRow
          key={row}
          id={id}
          row={row}
          bytes={bytes}
          marks={marks}
          active={active}
          onActive={onActive}
        />
      )}
    />
  )
}
