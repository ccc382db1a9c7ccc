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
 * The state of the running transaction as it stood before the step last recorded: the journal holds the old
 * bytes of what has changed since. After the transaction it is the state as it stands.
 */
const UNKNOWN: i32 = -1
const ZEROS: usize = memory.data(32)

/** Mark of the journal when the last step was recorded. */
let mark: usize = JOURNAL

@inline
export function markStep(): void {
  mark = journalMark()
}

/** Takes back what the step last recorded has changed, where its frame fails. */
export function undoStep(): void {
  undoTo(mark)
}

/** Address of the bytes that stood in a cell before the step. */
function before(cell: usize): usize {
  let at = cell
  for (let entry = journalMark(); entry > mark; entry = journalPrevious(entry)) {
    if (journalCell(entry) != cell) continue
    at = isJournalZero(entry) ? ZEROS : journalPrevious(entry)
  }
  return at
}

/**
 * Writes the record of an account, 72 bytes as in the answer to a read, to `out`; its size, 0 where
 * there is none, or -1 when the block has not read it.
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
 * Writes the value of a slot, whose key is 32 big-endian bytes, to `out`; its size 32, 0 for zero,
 * or -1 when the block has not read it.
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
