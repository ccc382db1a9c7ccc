import { SPURIOUS_DRAGON } from '../../generated/revision'
import { NEED_ACCOUNT, NEED_CODE } from '../../generated/status'
import { ACCOUNT_INDEX, ACCOUNT_INDEX_BITS, ACCOUNTS, ACCOUNTS_END, NEED } from '../../layout'
import { clearBytes, copyAddress } from '../../u256/bytes'
import { addWords, copyWord, isZero, setWord, subtractWords } from '../../u256/word'
import { exhausted, setExhausted } from '../machine/registers'
import { revision } from '../revision'
import { pauseFor } from '../signal'
import { EMPTY_CODE, findCode } from './code'
import { hashAddress } from './hash-index'
import { keepCell, keepWord } from './journal'

/**
 * The accounts that the block has touched. An entry holds the current account and the account at the start of the
 * block. Fields are cells of 8 or 32 bytes, so that the journal can undo them.
 */
export const ADDRESS: usize = 0
/** The entry's cell in the index, used to clear the index. */
const CELL: usize = 20
/** Code record; 0 until it is looked up. */
export const CODE: usize = 24
export const NONCE: usize = 32
export const FLAGS: usize = 40
/** Serial of the transaction in which the address is warm (EIP-2929). */
export const WARM: usize = 48
/** How often the storage was emptied in this block. */
export const EPOCH: usize = 56
export const BALANCE: usize = 64
export const CODE_HASH: usize = 96
export const ORIGINAL_NONCE: usize = 128
export const ORIGINAL_FLAGS: usize = 136
export const ORIGINAL_BALANCE: usize = 144
export const ORIGINAL_HASH: usize = 176
/** Serial of the last transaction that touched the address, even in a frame that failed. */
export const ACCESSED: usize = 208
/** Serial of the last transaction whose state trace contains the account. */
export const LOOKED: usize = 216
/** The account that the same trace recorded before this one, or 0. */
export const LOOKED_BEFORE: usize = 224
/** 1 if the block's access list has the account (u32). */
export const LISTED: usize = 232
/** Its latest change in that list (u32), or 0. */
export const CHANGED: usize = 236
export const ACCOUNT_ENTRY: usize = 240

/** The account is in the state trie. */
export const EXISTS: u64 = 1
/** Touched in this transaction: deleted at its end if empty (EIP-161). */
export const TOUCHED: u64 = 2
/** Created in this transaction (EIP-6780). */
export const CREATED: u64 = 4
/** Self-destructed in this transaction. */
export const DESTROYED: u64 = 8
/** Had storage when the block began (EIP-7610). */
export const HAS_STORAGE: u64 = 16

/** Signer of a valid authorization of this transaction (EIP-2780). */
export const AUTHORIZED: u64 = 32
/** The write of that authorization is paid for. */
export const WRITE_PAID: u64 = 64
/** Its delegation is paid for, or existed before. */
export const DELEGATION_PAID: u64 = 128

/** Flags that end with the transaction. */
export const TRANSACTION_FLAGS: u64 =
  TOUCHED | CREATED | DESTROYED | AUTHORIZED | WRITE_PAID | DELEGATION_PAID

const MASK: u32 = (1 << ACCOUNT_INDEX_BITS) - 1

export let accountsEnd: usize = ACCOUNTS

/** Serial of the running transaction; never 0. */
export let serial: u64 = 1

/**
 * EIP-161 on the RIPEMD-160 precompile: its touch survives the failure of the frame. The mainnet state contains this
 * since block 2,675,119.
 */
export let ripemdTouched: bool = false

export function beginSerial(): void {
  serial++
  ripemdTouched = false
  isBeneficiaryAsked = false
}

/** Account that receives the running message's fee. */
export let beneficiary: usize = 0

/** The message has accessed that account other than to pay its fee, so its effects may depend on the balance. */
export let isBeneficiaryAsked: bool = false

export function setBeneficiary(account: usize): void {
  beneficiary = account
  isBeneficiaryAsked = false
}

export function noteBeneficiary(account: usize): void {
  if (account == beneficiary) isBeneficiaryAsked = true
}

export function clearAccounts(): void {
  if (accountsEnd - ACCOUNTS > 4096 * ACCOUNT_ENTRY) {
    memory.fill(ACCOUNT_INDEX, 0, 4 << ACCOUNT_INDEX_BITS)
  } else {
    for (let at = ACCOUNTS; at < accountsEnd; at += ACCOUNT_ENTRY) {
      store<u32>(ACCOUNT_INDEX + (usize(load<u32>(at, CELL)) << 2), 0)
    }
  }
  accountsEnd = ACCOUNTS
}

/** Removes the accounts from `mark` on, latest first, so that each leaves the index as it found it. */
export function forgetAccounts(mark: usize): void {
  while (accountsEnd > mark) {
    accountsEnd -= ACCOUNT_ENTRY
    store<u32>(ACCOUNT_INDEX + (usize(load<u32>(accountsEnd, CELL)) << 2), 0)
  }
}

/** Returns the index cell of an entry, or the free cell for it. */
function cellOf(address: usize): u32 {
  let cell = hashAddress(address) & MASK
  while (true) {
    const entry: usize = load<u32>(ACCOUNT_INDEX + (usize(cell) << 2))
    if (entry == 0) return cell
    if (
      load<u64>(entry) == load<u64>(address) &&
      load<u64>(entry, 8) == load<u64>(address, 8) &&
      load<u32>(entry, 16) == load<u32>(address, 16)
    ) {
      return cell
    }
    cell = (cell + 1) & MASK
  }
}

/** Returns the entry of an address, or 0 if the block has not touched it yet. */
@inline
export function findAccount(address: usize): usize {
  return load<u32>(ACCOUNT_INDEX + (usize(cellOf(address)) << 2))
}

/** Returns the entry of an address, or 0 after asking the host for it. */
export function requireAccount(address: usize): usize {
  const account = findAccount(address)
  if (account != 0) {
    noteBeneficiary(account)
    return account
  }
  copyAddress(NEED, address)
  pauseFor(NEED_ACCOUNT)
  return 0
}

/** Returns the code record of an account, or 0 after asking the host for it. */
export function requireCode(account: usize): usize {
  const known: usize = usize(load<u64>(account, CODE))
  if (known != 0) return known
  const record = findCode(account + CODE_HASH)
  if (record != 0) {
    store<u64>(account, record, CODE)
    return record
  }
  copyWord(NEED, account + CODE_HASH)
  pauseFor(NEED_CODE)
  return 0
}

/**
 * Adds the account that the host answered with. `length` is 0 (absent), 72 (nonce 8, balance 32, code hash 32,
 * big-endian), or 73 with a last byte 1 if the account has storage (EIP-7610).
 */
export function insertAccount(address: usize, record: usize, length: i32): bool {
  if (length != 0 && length != 72 && length != 73) return false
  const account = addEntry(address)
  if (exhausted) return true
  copyWord(account + CODE_HASH, EMPTY_CODE)
  if (length == 0) {
    store<u64>(account, EMPTY_CODE, CODE)
  } else {
    let flags = EXISTS
    if (length == 73 && load<u8>(record, 72) != 0) flags |= HAS_STORAGE
    store<u64>(account, flags, FLAGS)
    store<u64>(account, bswap(load<u64>(record)), NONCE)
    store<u64>(account, bswap(load<u64>(record, 32)), BALANCE)
    store<u64>(account, bswap(load<u64>(record, 24)), BALANCE + 8)
    store<u64>(account, bswap(load<u64>(record, 16)), BALANCE + 16)
    store<u64>(account, bswap(load<u64>(record, 8)), BALANCE + 24)
    copyWord(account + CODE_HASH, record + 40)
    store<u64>(account, findCode(account + CODE_HASH), CODE)
  }
  keepOriginals(account)
  return true
}

/** Adds an account with the values that another engine's entry at `row` had when its block began. */
export function addOriginal(row: usize): usize {
  const account = addEntry(row)
  if (exhausted) return account
  store<u64>(account, load<u64>(row, ORIGINAL_NONCE), NONCE)
  store<u64>(account, load<u64>(row, ORIGINAL_FLAGS), FLAGS)
  copyWord(account + BALANCE, row + ORIGINAL_BALANCE)
  copyWord(account + CODE_HASH, row + ORIGINAL_HASH)
  store<u64>(account, findCode(account + CODE_HASH), CODE)
  keepOriginals(account)
  return account
}

/** Adds an indexed entry of zeros. If there is no room, returns any other entry, and the run ends. */
function addEntry(address: usize): usize {
  const account = accountsEnd
  if (account + ACCOUNT_ENTRY > ACCOUNTS_END) {
    setExhausted(true)
    return ACCOUNTS
  }
  const cell = cellOf(address)
  accountsEnd += ACCOUNT_ENTRY
  clearBytes(account, ACCOUNT_ENTRY)
  copyAddress(account, address)
  store<u32>(account, cell, CELL)
  store<u32>(ACCOUNT_INDEX + (usize(cell) << 2), u32(account))
  return account
}

function keepOriginals(account: usize): void {
  store<u64>(account, load<u64>(account, NONCE), ORIGINAL_NONCE)
  store<u64>(account, load<u64>(account, FLAGS), ORIGINAL_FLAGS)
  copyWord(account + ORIGINAL_BALANCE, account + BALANCE)
  copyWord(account + ORIGINAL_HASH, account + CODE_HASH)
}

@inline
export function hasFlag(account: usize, flag: u64): bool {
  return (load<u64>(account, FLAGS) & flag) != 0
}

export function setFlags(account: usize, flags: u64): void {
  const old = load<u64>(account, FLAGS)
  if ((old & flags) == flags) return
  keepCell(account + FLAGS)
  store<u64>(account, old | flags, FLAGS)
}

@inline
export function hasCode(account: usize): bool {
  return load<u64>(account, CODE) != u64(EMPTY_CODE)
}

/** Returns true if nonce, balance and code are empty (EIP-161). */
export function isEmpty(account: usize): bool {
  return load<u64>(account, NONCE) == 0 && isZero(account + BALANCE) && !hasCode(account)
}

/** Returns true for an account that a CALL with value pays to create: dead since EIP-161, absent before. */
export function isDead(account: usize): bool {
  return revision >= SPURIOUS_DRAGON ? isEmpty(account) : !hasFlag(account, EXISTS)
}

/** Makes the account part of the state, if only until the transaction ends (EIP-161). */
export function touch(account: usize): void {
  setFlags(account, EXISTS | TOUCHED)
  const isLow = load<u64>(account) == 0 && load<u64>(account, 8) == 0
  if (isLow && load<u32>(account, 16) == 0x03000000) ripemdTouched = true
}

export function setNonce(account: usize, nonce: u64): void {
  setFlags(account, EXISTS | TOUCHED)
  keepCell(account + NONCE)
  store<u64>(account, nonce, NONCE)
}

/** Adds to the balance, and touches the account even if the amount is zero. */
export function addBalance(account: usize, amount: usize): void {
  touch(account)
  if (isZero(amount)) return
  keepWord(account + BALANCE)
  addWords(account + BALANCE, account + BALANCE, amount)
}

/** Subtracts from a balance of at least `amount`. */
export function subtractBalance(account: usize, amount: usize): void {
  setFlags(account, EXISTS | TOUCHED)
  if (isZero(amount)) return
  keepWord(account + BALANCE)
  subtractWords(account + BALANCE, account + BALANCE, amount)
}

export function clearBalance(account: usize): void {
  if (isZero(account + BALANCE)) return
  keepWord(account + BALANCE)
  setWord(account + BALANCE, 0)
}

/** Gives the account the code of a record. */
export function setCode(account: usize, code: usize): void {
  setFlags(account, EXISTS | TOUCHED)
  keepCell(account + CODE)
  keepWord(account + CODE_HASH)
  store<u64>(account, code, CODE)
  copyWord(account + CODE_HASH, code)
}

@inline
export function isWarm(account: usize): bool {
  return load<u64>(account, WARM) == serial
}

/** Adds to the accessed addresses. A failing frame reverts this. */
@inline
export function warmAccount(account: usize): void {
  store<u64>(account, serial, ACCESSED)
  if (load<u64>(account, WARM) == serial) return
  keepCell(account + WARM)
  store<u64>(account, serial, WARM)
}
