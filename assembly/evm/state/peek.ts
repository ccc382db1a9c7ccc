import { JOURNAL, PEEKED_KEY } from '../../layout'
import { readBytes, writeBytes } from '../../u256/word'
import {
  BALANCE,
  CODE_HASH,
  EPOCH,
  EXISTS,
  FLAGS,
  findAccount,
  NONCE,
  ORIGINAL_FLAGS,
} from './account'
import { isJournalZero, journalCell, journalMark, journalPrevious, undoTo } from './journal'
import { findSlot, SLOT_EPOCH, VALUE } from './slot'

/**
 * The state of the running transaction before the last recorded step: the journal holds the old bytes of every later
 * change. After the transaction it is the current state.
 */
const UNKNOWN: i32 = -1
const ZEROS: usize = memory.data(32)

/** Journal mark at the last recorded step. */
let mark: usize = JOURNAL

@inline
export function markStep(): void {
  mark = journalMark()
}

/** Reverts the changes of the last recorded step, if its frame fails. */
export function undoStep(): void {
  undoTo(mark)
}

/** Returns the address of the bytes that a cell held before the step. */
function before(cell: usize): usize {
  let at = cell
  for (let entry = journalMark(); entry > mark; entry = journalPrevious(entry)) {
    if (journalCell(entry) != cell) continue
    at = isJournalZero(entry) ? ZEROS : journalPrevious(entry)
  }
  return at
}

/**
 * Writes the record of an account, 72 bytes as in the answer to a read, to `out`. Returns its size, 0 if it is
 * absent, or -1 if the block has not read it.
 */
export function peekAccountRecord(address: usize, out: usize): i32 {
  const account = findAccount(address)
  if (account == 0) return UNKNOWN
  if ((load<u64>(before(account + FLAGS)) & EXISTS) == 0) return 0
  store<u64>(out, bswap(load<u64>(before(account + NONCE))))
  writeBytes(out + 8, before(account + BALANCE))
  memory.copy(out + 40, before(account + CODE_HASH), 32)
  return 72
}

/**
 * Writes the value of a slot, whose key is 32 big-endian bytes, to `out`. Returns its size 32, 0 for zero, or -1 if
 * the block has not read it.
 */
export function peekSlotValue(address: usize, key: usize, out: usize): i32 {
  const owner = findAccount(address)
  if (owner == 0) return UNKNOWN
  readBytes(PEEKED_KEY, key)
  const slot = findSlot(owner, PEEKED_KEY)
  const epoch = load<u64>(owner, EPOCH)
  if (slot == 0) {
    const isEmpty = epoch != 0 || (load<u64>(owner, ORIGINAL_FLAGS) & EXISTS) == 0
    return isEmpty ? 0 : UNKNOWN
  }
  if (load<u64>(slot, SLOT_EPOCH) != epoch) return 0
  writeBytes(out, before(slot + VALUE))
  return 32
}
