import { addWords, setWord } from '../u256/word'
import {
  bytesArgument,
  foundSize,
  numberArgument,
  patchNumber,
  putBytes,
  putNumber,
  putWord,
  returnBytes,
} from './abi'
import { charge } from './call'
import {
  JSON_EXTRACT_AS_BYTES,
  JSON_EXTRACT_AS_BYTES_FROM_ARRAY,
  JSON_EXTRACT_AS_BYTES_LIST,
  JSON_EXTRACT_AS_UINT256,
} from './generated/function'
import { JSON_BYTE } from './generated/gas'
import {
  at,
  beginScan,
  enterList,
  hasNext,
  isAtEnd,
  isListBroken,
  isNamed,
  OPEN_ARRAY,
  peek,
  skipMemberName,
  skipSpace,
  skipValue,
} from './json-scan'
import { addBytes, addNumber, addText, beginText, fail, outputSize, revertWithText } from './text'

/** Longest name repeated in an error. */
const SHOWN_NAME: usize = 64

const WORD: usize = memory.data(32, 8)
const DIGIT: usize = memory.data(32, 8)

/** The found value, as written. */
let found: usize = 0
let foundEnd: usize = 0

function refuse(): bool {
  fail('json: the input is not a JSON document of the kind that the function reads')
  return false
}

/** Finds the last member of the document with a name. */
function findMember(bytes: usize, size: usize, name: usize, nameSize: usize): bool {
  beginScan(bytes, size)
  found = 0
  for (let isMember = enterList(true); isMember; isMember = hasNext(true)) {
    if (!skipMemberName()) return refuse()
    const isMeant = isNamed(name, nameSize)
    skipSpace()
    const from = at
    if (!skipValue()) return refuse()
    if (!isMeant) continue
    found = from
    foundEnd = at
  }
  if (isListBroken || !isAtEnd()) return refuse()
  if (found != 0) return true
  beginText()
  addText('json: the document has no member "')
  addBytes(name, min(nameSize, SHOWN_NAME))
  addText('"')
  revertWithText()
  return false
}

/** Reduces a string to the text between its quotes, with its escapes. */
function stripQuotes(): void {
  if (load<u8>(found) != 0x22) return
  found++
  foundEnd--
}

/** Finds an element of an array by index. */
function findElement(bytes: usize, size: usize, place: u64): bool {
  beginScan(bytes, size)
  let count: u64 = 0
  found = 0
  for (let isElement = enterList(false); isElement; isElement = hasNext(false)) {
    skipSpace()
    const from = at
    if (!skipValue()) return refuse()
    if (count == place) {
      found = from
      foundEnd = at
    }
    count++
  }
  if (isListBroken || !isAtEnd()) return refuse()
  if (found != 0) return true
  beginText()
  addText('json: the array has ')
  addNumber(count)
  addText(' elements, none at ')
  addNumber(place)
  revertWithText()
  return false
}

/** Returns the elements of the found array as bytes[]. */
function returnElements(): void {
  const bytes = found
  const size = foundEnd - found
  beginScan(bytes, size)
  skipSpace()
  if (peek() != OPEN_ARRAY) return fail('json: the member is not an array')
  let count: u32 = 0
  for (let isElement = enterList(false); isElement; isElement = hasNext(false)) {
    skipValue()
    count++
  }
  putNumber(32)
  putNumber(count)
  const offsets = outputSize
  for (let i: u32 = 0; i < count; i++) putNumber(0)
  beginScan(bytes, size)
  let index: usize = 0
  for (let isElement = enterList(false); isElement; isElement = hasNext(false)) {
    skipSpace()
    found = at
    skipValue()
    foundEnd = at
    stripQuotes()
    patchNumber(offsets + (index << 5), outputSize - offsets)
    putBytes(found, foundEnd - found)
    index++
  }
}

/** Returns the found number of decimal digits. */
function returnNumber(): void {
  stripQuotes()
  setWord(WORD, 0)
  let isNumber = found < foundEnd
  for (let digit = found; digit < foundEnd && isNumber; digit++) {
    const value = u32(load<u8>(digit)) - 0x30
    if (value > 9) {
      isNumber = false
      break
    }
    // Ten times, by doubling: 2 * (4 * n + n)
    setWord(DIGIT, 0)
    let carried = addWords(DIGIT, DIGIT, WORD)
    carried |= addWords(WORD, WORD, WORD)
    carried |= addWords(WORD, WORD, WORD)
    carried |= addWords(WORD, WORD, DIGIT)
    carried |= addWords(WORD, WORD, WORD)
    setWord(DIGIT, value)
    carried |= addWords(WORD, WORD, DIGIT)
    if (carried != 0) isNumber = false
  }
  if (!isNumber) return fail('json: the value is not a decimal integer from 0 to 2^256 - 1')
  putWord(WORD)
}

/** Reads members and elements of JSON documents. */
export function runJson(selector: u32): void {
  const document = bytesArgument(0)
  const size = foundSize
  if (!charge(JSON_BYTE * u64(size))) return
  if (selector == JSON_EXTRACT_AS_BYTES_FROM_ARRAY) {
    if (!findElement(document, size, numberArgument(1, 16))) return
    stripQuotes()
    return returnBytes(found, foundEnd - found)
  }
  const name = bytesArgument(1)
  const nameSize = foundSize
  if (!findMember(document, size, name, nameSize)) return
  if (selector == JSON_EXTRACT_AS_BYTES) {
    stripQuotes()
    returnBytes(found, foundEnd - found)
  } else if (selector == JSON_EXTRACT_AS_BYTES_LIST) {
    returnElements()
  } else if (selector == JSON_EXTRACT_AS_UINT256) {
    returnNumber()
  }
}
