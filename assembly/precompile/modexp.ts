/** MODEXP (0x05) of EIP-198, repriced by EIP-2565 and EIP-7883 and bounded by EIP-7823. */
import { modexpMinimumGas } from '../generated/gas'
import { MAX_MODEXP_LENGTH } from '../generated/limit'
import { BERLIN, OSAKA } from '../generated/revision'
import { MAX_OPERAND, power } from './power'

/**
 * Longest base or modulus that is computed, in bytes. One byte more costs over 200 million gas in every revision
 * without the bound of EIP-7823, and an exponent of 4 GiB a billion. Such a call counts as out of gas.
 */
export const MODEXP_MAX_OPERAND: u32 = MAX_OPERAND

/** The three lengths, one word each. */
const HEADER: u32 = 96

export function modexpGas(input: usize, length: u32, revision: i32): u64 {
  const base = lengthAt(input, length, 0)
  const exponent = lengthAt(input, length, 32)
  const modulus = lengthAt(input, length, 64)
  const longest = max(base, modulus)
  if (longest > MODEXP_MAX_OPERAND || (modulus != 0 && exponent > u32.MAX_VALUE))
    return u64.MAX_VALUE

  const offset = HEADER + (base as u32)
  if (revision >= OSAKA) {
    const words = (longest + 7) >> 3
    const complexity: u64 = longest <= 32 ? 16 : 2 * words * words
    return max<u64>(
      modexpMinimumGas(revision),
      saturating(complexity, iterations(input, length, offset, exponent, 16)),
    )
  }
  const count = iterations(input, length, offset, exponent, 8)
  if (revision >= BERLIN) {
    const words = (longest + 7) >> 3
    const cost = saturating(words * words, count)
    return cost == u64.MAX_VALUE ? cost : max<u64>(modexpMinimumGas(revision), cost / 3)
  }
  const cost = saturating(complexityOfEip198(longest), count)
  return cost == u64.MAX_VALUE ? cost : cost / 20
}

/**
 * Writes base^exponent modulo modulus, with as many bytes as the modulus; 0^0 is 1. Returns -1 if EIP-7823 rejects
 * the lengths.
 */
export function modexp(input: usize, length: u32, revision: i32, out: usize): i32 {
  const base = lengthAt(input, length, 0) as u32
  const exponent = lengthAt(input, length, 32)
  const modulus = lengthAt(input, length, 64) as u32
  if (revision >= OSAKA && max<u64>(max(base, modulus), exponent) > MAX_MODEXP_LENGTH) return -1
  // Without a modulus nothing is read, so the exponent may claim any length.
  if (modulus == 0) return 0
  power(input, length, HEADER, base, exponent as u32, modulus, out)
  return modulus
}

/** Returns one of the lengths of the header; u64.MAX_VALUE if it exceeds 63 bits. */
function lengthAt(input: usize, length: u32, offset: u32): u64 {
  if (offset + 32 <= length) {
    const word = input + offset
    if ((load<u64>(word) | load<u64>(word, 8) | load<u64>(word, 16)) != 0) return u64.MAX_VALUE
    const value = bswap<u64>(load<u64>(word, 24))
    return value >> 63 != 0 ? u64.MAX_VALUE : value
  }
  let value: u64 = 0
  for (let i = offset; i < offset + 32; i++) {
    if (value >> 55 != 0) return u64.MAX_VALUE
    value = (value << 8) | byteAt(input, length, i)
  }
  return value
}

@inline
function byteAt(input: usize, length: u32, offset: u32): u64 {
  return offset < length ? load<u8>(input + offset) : 0
}

/** Returns the adjusted exponent length: bits below the leading one, each byte past 32 counted `perByte` times. */
function iterations(input: usize, length: u32, offset: u32, exponent: u64, perByte: u64): u64 {
  const head = min<u64>(exponent, 32) as u32
  let bits: u64 = 0
  for (let i: u32 = 0; i < head; i++) {
    const byte = byteAt(input, length, offset + i)
    if (byte != 0) {
      bits = 8 * ((head - i - 1) as u64) + 63 - clz<u64>(byte)
      break
    }
  }
  if (exponent > 32) {
    const tail = saturating(exponent - 32, perByte)
    bits = tail > u64.MAX_VALUE - bits ? u64.MAX_VALUE : bits + tail
  }
  return max<u64>(bits, 1)
}

function complexityOfEip198(length: u64): u64 {
  if (length <= 64) return length * length
  if (length <= 1024) return (length * length) / 4 + 96 * length - 3072
  return (length * length) / 16 + 480 * length - 199_680
}

function saturating(a: u64, b: u64): u64 {
  return a != 0 && b > u64.MAX_VALUE / a ? u64.MAX_VALUE : a * b
}
