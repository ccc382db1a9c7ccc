import { AMSTERDAM, SPURIOUS_DRAGON } from '../../generated/revision'
import { ACCOUNTS, ACCOUNTS_END, JOURNAL, SLOTS, SLOTS_END } from '../../layout'
import { copyWord, equalWords, isZero, setWord } from '../../u256/word'
import { revision } from '../revision'
import { noteAccountChange, noteSlotChange } from '../state/access-list'
import {
  ACCOUNT_ENTRY,
  BALANCE,
  CODE,
  CODE_HASH,
  DESTROYED,
  EPOCH,
  EXISTS,
  FLAGS,
  findAccount,
  HAS_STORAGE,
  hasFlag,
  isEmpty,
  NONCE,
  ripemdTouched,
  TOUCHED,
  TRANSACTION_FLAGS,
} from '../state/account'
import { EMPTY_CODE } from '../state/code'
import {
  clearJournal,
  isJournalZero,
  journalCell,
  journalMark,
  journalPrevious,
  undoTo,
} from '../state/journal'
import { ORIGINAL, OWNER, SLOT_ENTRY, SLOT_EPOCH, VALUE } from '../state/slot'

/** Address 0x...03. */
const RIPEMD: usize = memory.data<u8>([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3])

/** Removes an account and empties its storage. Since EIP-8246 an account with a balance stays. */
function remove(account: usize): void {
  const stays = revision >= AMSTERDAM && !isZero(account + BALANCE)
  store<u64>(account, 0, NONCE)
  store<u64>(account, stays ? EXISTS : 0, FLAGS)
  store<u64>(account, EMPTY_CODE, CODE)
  store<u64>(account, load<u64>(account, EPOCH) + 1, EPOCH)
  if (!stays) setWord(account + BALANCE, 0)
  copyWord(account + CODE_HASH, EMPTY_CODE)
}

function finalizeAccount(account: usize): void {
  const flags = load<u64>(account, FLAGS)
  if ((flags & TRANSACTION_FLAGS) == 0) return
  if ((flags & DESTROYED) != 0) return remove(account)
  let kept = flags & ~TRANSACTION_FLAGS
  // EIP-161
  if (revision >= SPURIOUS_DRAGON && (flags & TOUCHED) != 0 && isEmpty(account)) {
    kept &= ~(EXISTS | HAS_STORAGE)
  }
  store<u64>(account, kept, FLAGS)
}

/** Returns true if the slot has another value than before the transaction, and its account keeps it. */
function hasSlotChanged(slot: usize): bool {
  const owner: usize = load<u32>(slot, OWNER)
  const isStale = load<u64>(slot, SLOT_EPOCH) != load<u64>(owner, EPOCH)
  return !isStale && !hasFlag(owner, DESTROYED) && !equalWords(slot + ORIGINAL, slot + VALUE)
}

/**
 * Applies the transaction's effects to the block: deletes self-destructed and touched empty accounts, and makes the
 * values the next transaction's originals. The journal names every cell that changed.
 */
export function commitTransaction(): void {
  const isListing = revision >= AMSTERDAM
  for (let at = journalMark(); at > JOURNAL; at = journalPrevious(at)) {
    const cell = journalCell(at)
    if (cell >= ACCOUNTS && cell < ACCOUNTS_END) {
      const account = cell - ((cell - ACCOUNTS) % ACCOUNT_ENTRY)
      finalizeAccount(account)
      if (isListing) {
        noteAccountChange(account, cell, isJournalZero(at) ? 0 : journalPrevious(at))
      }
    } else if (cell >= SLOTS && cell < SLOTS_END) {
      const slot = cell - ((cell - SLOTS) % SLOT_ENTRY)
      if (isListing && hasSlotChanged(slot)) noteSlotChange(slot)
      copyWord(slot + ORIGINAL, slot + VALUE)
    }
  }
  if (ripemdTouched && revision >= SPURIOUS_DRAGON) {
    const account = findAccount(RIPEMD)
    if (account != 0 && isEmpty(account)) {
      store<u64>(account, load<u64>(account, FLAGS) & ~EXISTS, FLAGS)
    }
  }
  clearJournal()
}

/** Reverts all effects of the transaction. */
export function discardTransaction(): void {
  undoTo(JOURNAL)
  clearJournal()
}
