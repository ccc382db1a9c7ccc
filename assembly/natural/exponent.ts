/** The exponent of a power: big-endian bytes that are never copied. Bytes past the input are zeros. */

let bytes: usize = 0
let available: u32 = 0
let count: u64 = 0

/** Sets an exponent of `length` bytes, the first `present` of which are at `address`. */
export function setExponent(address: usize, present: u32, length: u32): void {
  bytes = address
  available = present
  count = length
}

/** Returns the number of bits up to the leading one; 0 for zero. */
export function exponentBits(): u64 {
  for (let i: u32 = 0; i < available; i++) {
    const byte = load<u8>(bytes + i)
    if (byte != 0) return 8 * (count - i) - clz<u32>(byte) + 24
  }
  return 0
}

/** Returns the length in bits of the exponent modulo 2^bits. */
export function exponentBitsBelow(bits: u64): u64 {
  while (bits > 0 && exponentDigit(bits - 1, 1) == 0) bits--
  return bits
}

/** Returns the exponent modulo a divisor of up to 32 bits. */
export function exponentModulo(divisor: u32): u32 {
  let rest: u64 = 0
  let i: u64 = 0
  for (; i + 4 <= available; i += 4) {
    rest = ((rest << 32) | bswap<u32>(load<u32>(bytes + (i as u32)))) % divisor
  }
  for (; i < count; i++)
    rest = ((rest << 8) | (i < available ? load<u8>(bytes + (i as u32)) : 0)) % divisor
  return rest as u32
}

/** Returns `width` bits, nine at most, the lowest of which has the weight 2^bit. */
@inline
export function exponentDigit(bit: u64, width: u32): u32 {
  const pair = byteOf(bit >> 3) | (byteOf((bit >> 3) + 1) << 8)
  return (pair >> ((bit as u32) & 7)) & ((1 << width) - 1)
}

@inline
function byteOf(weight: u64): u32 {
  const index = count - 1 - weight
  return index < available ? load<u8>(bytes + (index as u32)) : 0
}
