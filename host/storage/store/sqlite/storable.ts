import type { SQLInputValue } from 'node:sqlite'
import { unwritable } from '../../../base/writable.ts'

const HALF_PAIR = /\p{Surrogate}/gu

/** Returns true if a row returns the text unchanged: it has no NUL and no lone surrogate. */
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
 * SQLite takes any value, but returns some changed: NULL for NaN, a text up to its NUL, U+FFFD for a lone surrogate.
 * One integer above 2^53 - 1 makes every query fail that reads its row.
 * @throws INVALID_ARGUMENT unless each value is read back unchanged
 */
export function requireStorables(values: readonly SQLInputValue[]): void {
  for (const value of values) requireStorable(value)
}

/**
 * Returns untrusted text, such as a peer's error, in a form that a row preserves: U+FFFD replaces what it would lose.
 */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').replaceAll(HALF_PAIR, '\ufffd')
}
