/** Addresses of 20 bytes in bech32 (BIP-173), in Cosmos notation. */
const ALPHABET: string = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'

const ADDRESS_SIZE: usize = 20
/** 160 bits, five per character. */
const DATA_SIZE: usize = 32
const CHECKSUM_SIZE: usize = 6

export const BECH32: usize = memory.data(96)
const VALUES: usize = memory.data(40)

@inline
function unitAt(text: string, index: usize): u32 {
  return load<u16>(changetype<usize>(text) + (index << 1))
}

function step(checksum: u32, value: u32): u32 {
  const top = checksum >> 25
  let next = ((checksum & 0x1ffffff) << 5) ^ value
  if ((top & 1) != 0) next ^= 0x3b6a57b2
  if ((top & 2) != 0) next ^= 0x26508e6d
  if ((top & 4) != 0) next ^= 0x1ea119fa
  if ((top & 8) != 0) next ^= 0x3d4233dd
  if ((top & 16) != 0) next ^= 0x2a1462b3
  return next
}

function checksumOfPrefix(prefix: string): u32 {
  const size = usize(prefix.length)
  let checksum: u32 = 1
  for (let i: usize = 0; i < size; i++) checksum = step(checksum, unitAt(prefix, i) >> 5)
  checksum = step(checksum, 0)
  for (let i: usize = 0; i < size; i++) checksum = step(checksum, unitAt(prefix, i) & 31)
  return checksum
}

/** Writes an address with a prefix to BECH32 and returns its size. */
export function encodeBech32(prefix: string, address: usize): usize {
  const size = usize(prefix.length)
  for (let i: usize = 0; i < size; i++) store<u8>(BECH32 + i, u8(unitAt(prefix, i)))
  store<u8>(BECH32 + size, 0x31)
  let checksum = checksumOfPrefix(prefix)
  let at = BECH32 + size + 1
  let held: u32 = 0
  let bits = 0
  for (let i: usize = 0; i < ADDRESS_SIZE; i++) {
    held = (held << 8) | load<u8>(address + i)
    bits += 8
    while (bits >= 5) {
      bits -= 5
      const value = (held >> bits) & 31
      checksum = step(checksum, value)
      store<u8>(at, u8(unitAt(ALPHABET, value)))
      at++
    }
  }
  for (let i: usize = 0; i < CHECKSUM_SIZE; i++) checksum = step(checksum, 0)
  checksum ^= 1
  for (let i = 0; i < i32(CHECKSUM_SIZE); i++) {
    store<u8>(at, u8(unitAt(ALPHABET, (checksum >> (5 * (5 - i))) & 31)))
    at++
  }
  return at - BECH32
}

function digitOf(character: u32): i32 {
  for (let i: usize = 0; i < 32; i++) if (unitAt(ALPHABET, i) == character) return i32(i)
  return -1
}

/** Writes the address of a text with that prefix to `out`. Returns false if the text is invalid. */
export function decodeBech32(prefix: string, text: usize, size: usize, out: usize): bool {
  const prefixSize = usize(prefix.length)
  if (size != prefixSize + 1 + DATA_SIZE + CHECKSUM_SIZE) return false
  let hasUpper = false
  let hasLower = false
  for (let i: usize = 0; i < size; i++) {
    const byte = load<u8>(text + i)
    if (byte >= 0x41 && byte <= 0x5a) hasUpper = true
    if (byte >= 0x61 && byte <= 0x7a) hasLower = true
  }
  if (hasUpper && hasLower) return false
  const fold: u8 = hasUpper ? 0x20 : 0
  for (let i: usize = 0; i < prefixSize; i++) {
    const byte = load<u8>(text + i)
    if (u32(byte >= 0x41 && byte <= 0x5a ? byte | fold : byte) != unitAt(prefix, i)) return false
  }
  if (load<u8>(text + prefixSize) != 0x31) return false
  let checksum = checksumOfPrefix(prefix)
  const data = text + prefixSize + 1
  for (let i: usize = 0; i < DATA_SIZE + CHECKSUM_SIZE; i++) {
    const byte = load<u8>(data + i)
    const value = digitOf(u32(byte >= 0x41 && byte <= 0x5a ? byte | fold : byte))
    if (value < 0) return false
    checksum = step(checksum, u32(value))
    store<u8>(VALUES + i, u8(value))
  }
  if (checksum != 1) return false
  let held: u32 = 0
  let bits = 0
  let to: usize = 0
  for (let i: usize = 0; i < DATA_SIZE; i++) {
    held = (held << 5) | load<u8>(VALUES + i)
    bits += 5
    if (bits < 8) continue
    bits -= 8
    store<u8>(out + to, u8(held >> bits))
    to++
  }
  return true
}
