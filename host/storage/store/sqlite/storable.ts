import type { SQLInputValue } from 'node:sqlite'
import { unwritable } from '../../../base/writable.ts'

const HALF_PAIR = /\p{Surrogate}/gu

/** True if a row gives the text back: without NUL and halves of surrogate pairs. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.search(HALF_PAIR) < 0
}

function requireStorable(value: SQLInputValue): void {
  if (typeof value === 'string') {
    if (!isStorableText(value)) {
      throw unwritable('a text of a row', 'it has NUL or half of a surrogate pair')
    }
  } else if (typeof value === 'number' || typeof value === 'bigint') {
    if (Number.isSafeInteger(Number(value))) return
    throw unwritable(`the number ${value} of a row`, 'want a whole number below 2^53')
  }
}

/**
 * SQLite takes any value, and gives others back: NULL for NaN, a text up to its NUL, U+FFFD for half of a pair. One
 * integer from 2^53 on fails every query that meets its row.
 * @throws INVALID_ARGUMENT unless each of the values is read as it is written
 */
export function requireStorables(values: readonly SQLInputValue[]): void {
  for (const value of values) requireStorable(value)
}

/** A text of others, such as the error of a peer, that a row takes: with U+FFFD for what it would lose. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').replaceAll(HALF_PAIR, '\ufffd')
}
