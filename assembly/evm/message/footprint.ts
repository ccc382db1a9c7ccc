import { ACCOUNTS, HOST_WORDS, SLOTS } from '../../layout'
import { copyWord, equalWords, subtractWords, writeBytes } from '../../u256/word'
import { COINBASE } from '../context/block'
import { exhausted, setExhausted } from '../machine/registers'
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
 * The footprint of a message that was alone in its block: the tables of accounts and slots, which hold what it read
 * (the originals) and what it made of it. Another engine, in a block that has come to the same values, adopts it in
 * place of running the message. The fee is no part of it: every message of the block changes its beneficiary's
 * balance, and few look at it.
 */

/** Writes where the tables lie to `out`, start and end of each (u32); false where the message has to run in its place. */
export function writeFootprint(out: usize): bool {
  // A contract without code changes no hash
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

/** Takes a row of an account over; false where the account is another than the one that the message read. */
function adoptAccount(row: usize): bool {
  let account = findAccount(row)
  if (account == 0) account = addOriginal(row)
  // For its slots
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

/** The same for a row of a slot; the row of its owner has been taken over. */
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
 * Adopts the footprint whose rows of accounts are at `accounts` and of slots from `slots` to `end`; false, and
 * nothing has changed, where the message would have read other values here.
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
