import type { MemoryRange } from './memory-access.ts'

/** The marked ranges of memory. */
export interface MemoryMarks {
  readonly changed: readonly MemoryRange[]
  readonly reads: readonly MemoryRange[]
  readonly writes: readonly MemoryRange[]
}

/** Returns the class names of a byte, separated by spaces. */
export function memoryMarkOf({ changed, reads, writes }: MemoryMarks, offset: number): string {
  let mark = ''
  if (holds(changed, offset)) mark += ' is-changed'
  if (holds(reads, offset)) mark += ' is-read'
  if (holds(writes, offset)) mark += ' is-written'
  return mark
}

function holds(ranges: readonly MemoryRange[], offset: number): boolean {
  return ranges.some((range) => offset >= range.offset && offset < range.offset + range.size)
}

/** Describes the marks for screen readers. */
export function describeMarks({ changed, reads, writes }: MemoryMarks): string {
  const parts = [
    ...changed.map((range) => `changed ${rangeText(range)}`),
    ...reads.map((range) => `about to be read ${rangeText(range)}`),
    ...writes.map((range) => `about to be written ${rangeText(range)}`),
  ]
  return parts.join(', ')
}

function rangeText({ offset, size }: MemoryRange): string {
  return `${size} ${size === 1 ? 'byte' : 'bytes'} at 0x${offset.toString(16)}`
}
