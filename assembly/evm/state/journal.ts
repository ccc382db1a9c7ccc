import { JOURNAL } from '../../layout'
import { copyWord, isZero, setWord } from '../../u256/word'
import { setExhausted } from '../machine/registers'
import { logsStart } from './log-records'

/**
 * The undo log of one transaction: the old bytes of each cell about to change, and where they
 * belong. Undoing is copying them back, newest first, so no entry needs a kind of its own. An entry
 * is 8 or 32 old bytes, then the cell's address (u32) and the length (u32); the length 0 stands for
 * 32 bytes of zeros.
 */
let end: usize = JOURNAL

/** Mark to which `undoTo` may return. */
@inline
export function journalMark(): usize {
  return end
}

export function clearJournal(): void {
  end = JOURNAL
}

function reserve(size: usize): bool {
  if (end + size <= logsStart) return true
  setExhausted(true)
  return false
}

/** Keeps the 8 bytes at `cell`. */
export function keepCell(cell: usize): void {
  if (!reserve(16)) return
  store<u64>(end, load<u64>(cell))
  store<u32>(end, u32(cell), 8)
  store<u32>(end, 8, 12)
  end += 16
}

/** Keeps the 32 bytes at `cell`. */
export function keepWord(cell: usize): void {
  if (isZero(cell)) {
    if (!reserve(8)) return
    store<u32>(end, u32(cell))
    store<u32>(end, 0, 4)
    end += 8
    return
  }
  if (!reserve(40)) return
  copyWord(end, cell)
  store<u32>(end, u32(cell), 32)
  store<u32>(end, 32, 36)
  end += 40
}

export function undoTo(mark: usize): void {
  while (end > mark) {
    const length: usize = load<u32>(end - 4)
    const cell: usize = load<u32>(end - 8)
    end -= length + 8
    if (length == 0) setWord(cell, 0)
    else if (length == 8) store<u64>(cell, load<u64>(end))
    else copyWord(cell, end)
  }
}

/** Address of the cell that the entry ending at `at` holds. */
@inline
export function journalCell(at: usize): usize {
  return load<u32>(at - 8)
}

/** True when the entry that ends at `at` holds 32 bytes of zeros, and none of them. */
@inline
export function isJournalZero(at: usize): bool {
  return load<u32>(at - 4) == 0
}

/** End of the entry before the one that ends at `at`, and where the bytes that it holds begin. */
@inline
export function journalPrevious(at: usize): usize {
  return at - load<u32>(at - 4) - 8
}
