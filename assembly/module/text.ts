import { copyBytes } from '../u256/bytes'
import { endCall, isRunning, REVERTING } from './call'
import { OUTPUT, TEXT, TEXT_SIZE } from './layout'

/** Builds UTF-8 texts piece by piece. */
let end: usize = TEXT

export function beginText(): void {
  end = TEXT
}

export function textSize(): usize {
  return end - TEXT
}

function hasRoom(size: usize): bool {
  return end + size <= TEXT + TEXT_SIZE
}

/** Adds ASCII characters. */
export function addText(text: string): void {
  if (!hasRoom(text.length)) return
  const units = changetype<usize>(text)
  for (let i: usize = 0; i < usize(text.length); i++) {
    store<u8>(end, u8(load<u16>(units + (i << 1))))
    end++
  }
}

/** Adds bytes of UTF-8 text. */
export function addBytes(bytes: usize, size: usize): void {
  if (!hasRoom(size)) return
  copyBytes(end, bytes, size)
  end += size
}

function hexDigit(value: u32): u8 {
  return u8(value < 10 ? 0x30 + value : 0x57 + value)
}

/** Adds 0x and two digits for each byte. */
export function addHex(bytes: usize, size: usize): void {
  if (!hasRoom(2 + 2 * size)) return
  addText('0x')
  for (let i: usize = 0; i < size; i++) {
    const byte: u32 = load<u8>(bytes + i)
    store<u8>(end, hexDigit(byte >> 4))
    store<u8>(end, hexDigit(byte & 15), 1)
    end += 2
  }
}

/** Adds a number in decimal digits. */
export function addNumber(value: u64): void {
  if (!hasRoom(20)) return
  let size: usize = 1
  for (let rest = value / 10; rest != 0; rest /= 10) size++
  let rest = value
  for (let i = size; i > 0; i--) {
    store<u8>(end + i - 1, u8(0x30 + (rest % 10)))
    rest /= 10
  }
  end += size
}

/** Returns true if the `size` bytes are the characters of an ASCII text. */
export function equalsText(bytes: usize, size: usize, text: string): bool {
  if (size != usize(text.length)) return false
  const units = changetype<usize>(text)
  for (let i: usize = 0; i < size; i++) {
    if (u16(load<u8>(bytes + i)) != load<u16>(units + (i << 1))) return false
  }
  return true
}

/** Bytes of output so far. */
export let outputSize: usize = 0

export function setOutputSize(size: usize): void {
  outputSize = size
}

/** Reverts with the built text, as Solidity's Error(string). */
export function revertWithText(): void {
  if (!isRunning()) return
  const size = textSize()
  const padded = (size + 31) & ~31
  memory.fill(OUTPUT, 0, 68 + padded)
  store<u32>(OUTPUT, bswap<u32>(0x08c379a0))
  store<u8>(OUTPUT, 32, 35)
  store<u32>(OUTPUT, bswap(u32(size)), 64)
  copyBytes(OUTPUT + 68, TEXT, size)
  outputSize = 68 + padded
  endCall(REVERTING)
}

/** Reverts with a text. */
export function fail(text: string): void {
  beginText()
  addText(text)
  revertWithText()
}
