import { divide } from '../u256/divide'
import { multiply } from '../u256/multiply'
import { equalWords, isZero, readBytes, setWord } from '../u256/word'
import {
  addressArgument,
  bytesArgument,
  foundSize,
  patchNumber,
  putBytes,
  putNumber,
  putWord,
  returnTrue,
  wordArgument,
} from './abi'
import { accountOfAddress } from './association'
import { decodeBech32 } from './bech32'
import { CALLER, isRunning, VALUE, writeId } from './call'
import {
  decimalsOf,
  denominationCount,
  denominationOf,
  FIELD_DENOMINATION,
  FIELD_NAME,
  FIELD_SYMBOL,
  hasPointer,
  metadataKey,
  moveHeld,
  NATIVE,
  readHeld,
  readSupply,
  UNKNOWN,
  wantHeld,
} from './denomination'
import {
  BANK_ALL_BALANCES,
  BANK_BALANCE,
  BANK_DECIMALS,
  BANK_ID,
  BANK_NAME,
  BANK_SEND,
  BANK_SEND_NATIVE,
  BANK_SUPPLY,
  BANK_SYMBOL,
} from './generated/function'
import { BECH32_PREFIX, DECIMALS, DENOMINATION, NAME, SYMBOL, WEI } from './generated/native'
import { TEXT } from './layout'
import { readRowText, rowTextSize } from './row-text'
import { moveWei, readBalance } from './state'
import {
  addBytes,
  addHex,
  addText,
  beginText,
  fail,
  outputSize,
  revertWithText,
  textSize,
} from './text'

/** Longest denomination in Cosmos SDK. A longer one does not exist. */
const MAX_DENOMINATION: usize = 128

const AMOUNT: usize = memory.data(32, 8)
const RATE: usize = memory.data(32, 8)
const QUOTIENT: usize = memory.data(32, 8)
const WEI_AMOUNT: usize = memory.data(32, 8)
const ADDRESS: usize = memory.data(24, 8)
const SELF: usize = memory.data(24, 8)

/** Reads an account's balance in the native denomination, rounded down to its smallest unit. */
function readNative(out: usize, address: usize): void {
  readBalance(WEI_AMOUNT, address)
  setWord(RATE, WEI)
  divide(out, WEI_AMOUNT, RATE)
}

function readAmount(out: usize, address: usize, number: u32): void {
  if (number == NATIVE) readNative(out, address)
  else readHeld(out, address, number)
}

/** Returns the denomination of an argument, or UNKNOWN if this chain has none of that name. */
function denominationArgument(place: usize): u32 {
  const text = bytesArgument(place)
  if (foundSize == 0) fail('bank: the denomination is empty')
  return foundSize > MAX_DENOMINATION ? UNKNOWN : denominationOf(text, foundSize)
}

/** As above, but reverts if this chain has none of that name. */
function knownDenomination(place: usize): u32 {
  const number = denominationArgument(place)
  if (number != UNKNOWN) return number
  const text = bytesArgument(place)
  beginText()
  addText('bank: this chain has no denomination "')
  addBytes(text, min(foundSize, MAX_DENOMINATION))
  addText('"')
  revertWithText()
  return number
}

function failPoor(from: usize): void {
  beginText()
  addText('bank: ')
  addHex(from, 20)
  addText(' has less than that')
  revertWithText()
}

/** send: only the pointer of the denomination may call it. */
function send(): void {
  const from = addressArgument(0)
  const to = addressArgument(1)
  const number = knownDenomination(2)
  wordArgument(AMOUNT, 3)
  if (!isRunning()) return
  if (!hasPointer(number, CALLER)) {
    beginText()
    addText('bank: only the pointer of the denomination may send it, not ')
    addHex(CALLER, 20)
    return revertWithText()
  }
  if (isZero(AMOUNT)) return returnTrue()
  if (number != NATIVE) {
    if (!moveHeld(from, to, number, AMOUNT)) return failPoor(from)
    return returnTrue()
  }
  setWord(RATE, WEI)
  multiply(WEI_AMOUNT, AMOUNT, RATE)
  divide(QUOTIENT, WEI_AMOUNT, RATE)
  // A product that wraps exceeds any balance
  if (!equalWords(QUOTIENT, AMOUNT) || !moveWei(from, to, WEI_AMOUNT)) return failPoor(from)
  returnTrue()
}

/** sendNative: sends the value of the call to a bech32 address. */
function sendNative(): void {
  const text = bytesArgument(0)
  if (!isRunning()) return
  if (isZero(VALUE)) return fail('bank: the call has no value to send')
  if (!decodeBech32(BECH32_PREFIX, text, foundSize, ADDRESS)) {
    beginText()
    addText('bank: not a bech32 address that begins with ')
    addText(BECH32_PREFIX)
    addText('1: ')
    addBytes(text, min(foundSize, MAX_DENOMINATION))
    return revertWithText()
  }
  accountOfAddress(ADDRESS, ADDRESS)
  writeId(SELF, BANK_ID)
  readBytes(AMOUNT, VALUE)
  if (!moveWei(SELF, ADDRESS, AMOUNT)) return failPoor(SELF)
  returnTrue()
}

/** Appends a text field of a denomination. */
function putText(number: u32, field: u8): void {
  if (number == NATIVE) {
    beginText()
    addText(field == FIELD_DENOMINATION ? DENOMINATION : field == FIELD_NAME ? NAME : SYMBOL)
    return putBytes(TEXT, textSize())
  }
  const text = readRowText(BANK_ID, metadataKey(number, field))
  putBytes(text, rowTextSize)
}

function returnText(field: u8): void {
  const number = knownDenomination(0)
  putNumber(32)
  putText(number, field)
}

/** all_balances: the native denomination first, then by number, without zero balances. */
function allBalances(): void {
  const address = addressArgument(0)
  const count = denominationCount()
  for (let number: u32 = 1; number <= count; number++) wantHeld(address, number)
  putNumber(32)
  const countAt = outputSize
  putNumber(0)
  let shown: u32 = 0
  for (let number: u32 = NATIVE; number <= count; number++) {
    readAmount(AMOUNT, address, number)
    if (!isZero(AMOUNT)) shown++
  }
  patchNumber(countAt, shown)
  const offsets = outputSize
  for (let i: u32 = 0; i < shown; i++) putNumber(0)
  let index: usize = 0
  for (let number: u32 = NATIVE; number <= count && isRunning(); number++) {
    readAmount(AMOUNT, address, number)
    if (isZero(AMOUNT)) continue
    patchNumber(offsets + (index << 5), outputSize - offsets)
    putWord(AMOUNT)
    putNumber(64)
    putText(number, FIELD_DENOMINATION)
    index++
  }
}

function balance(): void {
  const address = addressArgument(0)
  const number = denominationArgument(1)
  setWord(AMOUNT, 0)
  if (number != UNKNOWN) readAmount(AMOUNT, address, number)
  putWord(AMOUNT)
}

function supply(): void {
  readSupply(AMOUNT, knownDenomination(0))
  putWord(AMOUNT)
}

function decimals(): void {
  const number = knownDenomination(0)
  putNumber(number == NATIVE ? DECIMALS : decimalsOf(number))
}

/** Answers balances in denominations, and the metadata of those. */
export function runBank(selector: u32): void {
  if (selector == BANK_SEND) send()
  else if (selector == BANK_SEND_NATIVE) sendNative()
  else if (selector == BANK_BALANCE) balance()
  else if (selector == BANK_ALL_BALANCES) allBalances()
  else if (selector == BANK_NAME) returnText(FIELD_NAME)
  else if (selector == BANK_SYMBOL) returnText(FIELD_SYMBOL)
  else if (selector == BANK_DECIMALS) decimals()
  else if (selector == BANK_SUPPLY) supply()
}
