import { JOURNAL } from '../../layout'
import { copyWord, isZero, setWord } from '../../u256/word'
import { setExhausted } from '../machine/registers'
import { logsStart } from './log-records'

/**
 * The undo log of one transaction: the old bytes of each cell before a change, and their address. To undo is to copy
 * them back, latest first, so all entries are of one kind. An entry is 8 or 32 old bytes, then the cell's address
 * (u32) and the length (u32). The length 0 stands for 32 bytes of zeros.
 */
let end: usize = JOURNAL

/** Returns a mark for `undoTo`. */
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

/** Records the 8 bytes at `cell`. */
export function keepCell(cell: usize): void {
  if (!reserve(16)) return
  store<u64>(end, load<u64>(cell))
  store<u32>(end, u32(cell), 8)
  store<u32>(end, 8, 12)
  end += 16
}

/** Records the 32 bytes at `cell`. */
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

/** Returns the cell of the entry that ends at `at`. */
@inline
export function journalCell(at: usize): usize {
  return load<u32>(at - 8)
}

/** Returns true if the entry that ends at `at` stands for 32 bytes of zeros, which it omits. */
@inline
export function isJournalZero(at: usize): bool {
  return load<u32>(at - 4) == 0
}

/** Returns the end of the entry before the one that ends at `at`, which is also the start of this entry's bytes. */
@inline
export function journalPrevious(at: usize): usize {
  return at - load<u32>(at - 4) - 8
}
