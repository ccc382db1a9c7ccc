import { copyBytes } from '../u256/bytes'
import { writeBytes } from '../u256/word'
import { bytesArgument, foundSize } from './abi'
import { accountOfAddress } from './association'
import { decodeBech32 } from './bech32'
import { CALLER, isRunning } from './call'
import { STAKING_ID } from './generated/function'
import { TEXT } from './layout'
import { emitLog } from './state'
import { addHex, beginText, fail, textSize } from './text'

/** Texts of the staking ABI: validators, rates, events. */

/** The operator prefix of this chain. */
const OPERATOR_PREFIX: string = 'seivaloper'

const ADDRESS: usize = memory.data(24, 8)
const OTHER: usize = memory.data(24, 8)
const TOPICS: usize = memory.data(64, 8)
const DATA: usize = memory.data(512, 8)

const ONE_RATE: u64 = 1_000_000_000_000_000_000

function digitOf(code: u8): i32 {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** Reads exactly `size` bytes of hex digits, with or without 0x. Returns false for any other text. */
export function readHex(out: usize, text: usize, length: usize, size: usize): bool {
  let at = text
  if (length >= 2 && load<u8>(text) == 0x30 && (load<u8>(text, 1) | 0x20) == 0x78) at += 2
  if (text + length - at != 2 * size) return false
  for (let i: usize = 0; i < size; i++) {
    const high = digitOf(load<u8>(at + 2 * i))
    const low = digitOf(load<u8>(at + 2 * i, 1))
    if (high < 0 || low < 0) return false
    store<u8>(out + i, u8((high << 4) | low))
  }
  return true
}

/** Returns the address of the operator in a text argument, in hex or bech32: 20 bytes. */
export function operatorArgument(place: usize): usize {
  const text = bytesArgument(place)
  const size = foundSize
  if (readHex(ADDRESS, text, size, 20)) return ADDRESS
  if (decodeBech32(OPERATOR_PREFIX, text, size, OTHER)) accountOfAddress(OTHER, ADDRESS)
  else {
    memory.fill(ADDRESS, 0, 20)
    fail("staking: write a validator as its operator's address, 0x... or seivaloper1...")
  }
  return ADDRESS
}

/** Reads a fraction of one such as 0.05, in parts of 10^18. */
export function rateArgument(place: usize): u64 {
  const text = bytesArgument(place)
  const size = foundSize
  let rate: u64 = 0
  let places: i32 = -1
  let isRate = size > 0 && size <= 20 && load<u8>(text) != 0x2e
  for (let i: usize = 0; i < size && isRate; i++) {
    const code = load<u8>(text + i)
    if (code == 0x2e && places < 0 && i + 1 < size) {
      places = 0
      continue
    }
    isRate = code >= 0x30 && code <= 0x39 && places < 18 && rate <= ONE_RATE
    rate = rate * 10 + u64(code - 0x30)
    if (places >= 0) places++
  }
  for (let i = max(places, 0); i < 18 && isRate; i++) {
    if (rate > ONE_RATE) isRate = false
    else rate *= 10
  }
  if (!isRate || rate > ONE_RATE) {
    fail('staking: a rate is a decimal fraction from 0 to 1 with at most 18 digits')
    return 0
  }
  return rate
}

// The data of an event is built in DATA: heads first, then the texts

let heads: usize = 0
let end: usize = 0

export function beginEvent(members: usize): void {
  memory.fill(DATA, 0, 512)
  heads = 0
  end = members << 5
}

/** Adds a text of at most 96 bytes. */
export function addEventText(text: usize, size: usize): void {
  store<u64>(DATA + heads, bswap(u64(end)), 24)
  heads += 32
  store<u64>(DATA + end, bswap(u64(size)), 24)
  copyBytes(DATA + end + 32, text, size)
  end += 32 + ((size + 31) & ~31)
}

/** Adds an address as a text. */
export function addEventAddress(address: usize): void {
  beginText()
  addHex(address, 20)
  addEventText(TEXT, textSize())
}

export function addEventWord(word: usize): void {
  writeBytes(DATA + heads, word)
  heads += 32
}

/** Emits the event with its topic and the caller's. */
export function emitEvent(topic: usize): void {
  if (!isRunning()) return
  copyBytes(TOPICS, topic, 32)
  memory.fill(TOPICS + 32, 0, 12)
  copyBytes(TOPICS + 44, CALLER, 20)
  emitLog(STAKING_ID, 2, TOPICS, DATA, u32(end))
}
