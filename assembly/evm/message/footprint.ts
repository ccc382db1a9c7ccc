import { AMSTERDAM } from '../../generated/revision'
import { ACCOUNTS, HOST_WORDS, SLOTS } from '../../layout'
import { copyWord, equalWords, subtractWords, writeBytes } from '../../u256/word'
import { COINBASE } from '../context/block'
import { exhausted, setExhausted } from '../machine/registers'
import { revision } from '../revision'
import {
  ACCOUNT_ENTRY,
  accountsEnd,
  addBalance,
  addOriginal,
  BALANCE,
  beginSerial,
  CODE,
  CODE_HASH,
  EPOCH,
  FLAGS,
  findAccount,
  forgetAccounts,
  isBeneficiaryAsked,
  NONCE,
  ORIGINAL_BALANCE,
  ORIGINAL_FLAGS,
  ORIGINAL_HASH,
  ORIGINAL_NONCE,
} from '../state/account'
import { EMPTY_CODE, isNewCode } from '../state/code'
import { keepCell, keepWord } from '../state/journal'
import {
  BLOCK_ORIGINAL,
  findSlot,
  forgetSlots,
  insertSlot,
  KEY,
  OWNER,
  requireSlot,
  SLOT_ENTRY,
  setValue,
  slotsEnd,
  VALUE,
} from '../state/slot'
import { commitTransaction, discardTransaction } from './finalize'

/**
 * The read/write set of a message that ran alone in its block: the tables of accounts and slots. They hold what it
 * read (the originals) and what it wrote. Another engine whose block has reached the same values applies the set
 * instead of running the message. The fee is not part of it: every message of the block changes the beneficiary's
 * balance, and few read that.
 */

/** Writes start and end of each table to `out` (u32). Returns false if the set cannot replace a run of the message. */
export function writeFootprint(out: usize): bool {
  // The set has no access list (EIP-7928)
  if (revision >= AMSTERDAM) return false
  // A creation without code changes no code hash
  if (isBeneficiaryAsked || isNewCode(EMPTY_CODE)) return false
  for (let account = ACCOUNTS; account < accountsEnd; account += ACCOUNT_ENTRY) {
    if (load<u64>(account, EPOCH) != 0) return false
    if (!equalWords(account + CODE_HASH, account + ORIGINAL_HASH)) return false
  }
  store<u32>(out, u32(ACCOUNTS))
  store<u32>(out, u32(accountsEnd), 4)
  store<u32>(out, u32(SLOTS), 8)
  store<u32>(out, u32(slotsEnd), 12)
  return true
}

/** Applies a row of an account. Returns false if the account differs from the one that the message read. */
function adoptAccount(row: usize): bool {
  let account = findAccount(row)
  if (account == 0) account = addOriginal(row)
  // `adoptRows` passes this to the account's slots
  store<u32>(row, u32(account), CODE)
  if (memory.compare(row, COINBASE, 20) == 0) {
    subtractWords(HOST_WORDS, row + BALANCE, row + ORIGINAL_BALANCE)
    addBalance(account, HOST_WORDS)
    return true
  }
  if (
    load<u64>(account, NONCE) != load<u64>(row, ORIGINAL_NONCE) ||
    load<u64>(account, FLAGS) != load<u64>(row, ORIGINAL_FLAGS) ||
    !equalWords(account + BALANCE, row + ORIGINAL_BALANCE) ||
    !equalWords(account + CODE_HASH, row + CODE_HASH)
  ) {
    return false
  }
  keepCell(account + NONCE)
  keepCell(account + FLAGS)
  keepWord(account + BALANCE)
  store<u64>(account, load<u64>(row, NONCE), NONCE)
  store<u64>(account, load<u64>(row, FLAGS), FLAGS)
  copyWord(account + BALANCE, row + BALANCE)
  return true
}

/** Applies a row of a slot, after the row of its owner. */
function adoptSlot(row: usize, owner: usize): bool {
  const key = row + KEY
  let slot = requireSlot(owner, key)
  if (slot == 0) {
    writeBytes(HOST_WORDS, row + BLOCK_ORIGINAL)
    insertSlot(HOST_WORDS, 32)
    slot = findSlot(owner, key)
  }
  if (!equalWords(slot + VALUE, row + BLOCK_ORIGINAL)) return false
  if (!equalWords(slot + VALUE, row + VALUE)) setValue(slot, row + VALUE)
  return true
}

function adoptRows(accounts: usize, slots: usize, end: usize): bool {
  for (let row = accounts; row < slots; row += ACCOUNT_ENTRY) {
    if (!adoptAccount(row) || exhausted) return false
  }
  for (let row = slots; row < end; row += SLOT_ENTRY) {
    const owner = accounts + (usize(load<u32>(row, OWNER)) - ACCOUNTS)
    if (!adoptSlot(row, load<u32>(owner, CODE)) || exhausted) return false
  }
  return true
}

/**
 * Applies the read/write set whose rows of accounts are at `accounts` and of slots from `slots` to `end`. Returns
 * false, without any change, if the message would have read other values here.
 */
export function adoptFootprint(accounts: usize, slots: usize, end: usize): bool {
  beginSerial()
  setExhausted(false)
  const accountMark = accountsEnd
  const slotMark = slotsEnd
  if (adoptRows(accounts, slots, end)) {
    commitTransaction()
    return true
  }
  discardTransaction()
  forgetSlots(slotMark)
  forgetAccounts(accountMark)
  return false
}
