import { keccak256 } from '../hash/keccak'
import {
  addWords,
  copyWord,
  isLess,
  isZero,
  readBytes,
  subtractWords,
  writeBytes,
} from '../u256/word'
import { BANK_ID } from './generated/function'
import { DENOMINATION } from './generated/native'
import { beginKey, keyAddress, keyBytes, keyNumber } from './key'
import { readRow, wantRow, writeRow } from './state'
import { equalsText } from './text'

/**
 * Denominations and their balances. Genesis numbers them from 1; 0 is the native one, whose balances are those of
 * accounts. Rows of bank:
 *
 * 1, 31 bytes of the hash of a denomination: its number. (A name may be longer than a key.) 2, number, field:
 * metadata; 0 denomination, 1 name, 2 symbol are texts (row-text.ts), 3 decimals. 3, number: supply. 4, number:
 * address of its pointer. 5, address, number: balance. 6: number of denominations.
 */
const BY_NAME: u8 = 1
const METADATA: u8 = 2
const SUPPLY: u8 = 3
const POINTER: u8 = 4
const BALANCE: u8 = 5
const COUNT: u8 = 6

export const FIELD_DENOMINATION: u8 = 0
export const FIELD_NAME: u8 = 1
export const FIELD_SYMBOL: u8 = 2
const FIELD_DECIMALS: u8 = 3

export const NATIVE: u32 = 0
export const UNKNOWN: u32 = u32.MAX_VALUE

const HASH: usize = memory.data(32, 8)
const ROW: usize = memory.data(32, 8)
const HELD: usize = memory.data(32, 8)

/** Returns a number in a row. */
function numberOf(row: usize): u32 {
  return bswap(load<u32>(row, 28))
}

/** Returns the number of a denomination, or UNKNOWN if this chain lacks it. */
export function denominationOf(text: usize, size: usize): u32 {
  if (equalsText(text, size, DENOMINATION)) return NATIVE
  keccak256(text, u32(size), HASH)
  const key = beginKey(BY_NAME)
  keyBytes(1, HASH, 31)
  const number = numberOf(readRow(BANK_ID, key))
  return number == 0 ? UNKNOWN : number
}

/** Returns the number of denominations besides the native one. */
export function denominationCount(): u32 {
  return numberOf(readRow(BANK_ID, beginKey(COUNT)))
}

/** Returns the key of the row of a field. */
export function metadataKey(number: u32, field: u8): usize {
  const key = beginKey(METADATA)
  keyNumber(1, number)
  store<u8>(key, field, 5)
  return key
}

export function decimalsOf(number: u32): u64 {
  return numberOf(readRow(BANK_ID, metadataKey(number, FIELD_DECIMALS)))
}

/** Reads the supply to the word at `out`. */
export function readSupply(out: usize, number: u32): void {
  const key = beginKey(SUPPLY)
  keyNumber(1, number)
  readBytes(out, readRow(BANK_ID, key))
}

/** Subtracts an amount, a word, from the supply. */
export function lowerSupply(number: u32, amount: usize): void {
  readSupply(HELD, number)
  if (isLess(HELD, amount)) copyWord(HELD, amount)
  subtractWords(HELD, HELD, amount)
  writeBytes(ROW, HELD)
  const key = beginKey(SUPPLY)
  keyNumber(1, number)
  writeRow(BANK_ID, key, ROW)
}

/** Returns true if the 20 bytes are the address of a denomination's pointer. */
export function hasPointer(number: u32, address: usize): bool {
  const key = beginKey(POINTER)
  keyNumber(1, number)
  const row = readRow(BANK_ID, key)
  return !isZero(row) && memory.compare(row + 12, address, 20) == 0
}

function balanceKey(address: usize, number: u32): usize {
  const key = beginKey(BALANCE)
  keyAddress(1, address)
  keyNumber(21, number)
  return key
}

/** Requests a balance together with others. */
export function wantHeld(address: usize, number: u32): void {
  wantRow(BANK_ID, balanceKey(address, number))
}

/** Reads an account's balance in a non-native denomination to the word at `out`. */
export function readHeld(out: usize, address: usize, number: u32): void {
  readBytes(out, readRow(BANK_ID, balanceKey(address, number)))
}

function writeHeld(address: usize, number: u32, amount: usize): void {
  writeBytes(ROW, amount)
  writeRow(BANK_ID, balanceKey(address, number), ROW)
}

/** Moves an amount from one account to another. Returns false if the first has less. */
export function moveHeld(from: usize, to: usize, number: u32, amount: usize): bool {
  wantHeld(from, number)
  wantHeld(to, number)
  readHeld(HELD, from, number)
  if (isLess(HELD, amount)) return false
  subtractWords(HELD, HELD, amount)
  writeHeld(from, number, HELD)
  readHeld(HELD, to, number)
  addWords(HELD, HELD, amount)
  writeHeld(to, number, HELD)
  return true
}
