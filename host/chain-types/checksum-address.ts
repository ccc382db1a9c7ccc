import { hexDigits } from '../base/hex.ts'
import type { Keccak256 } from './signature-recovery.ts'

/** An address whose letters are upper case where the digits of its hash are 8 and more (EIP-55). */
export function checksumAddress(address: Uint8Array, keccak256: Keccak256): string {
  const digits = hexDigits(address)
  const hash = hexDigits(keccak256(new TextEncoder().encode(digits)))
  let text = '0x'
  for (let i = 0; i < digits.length; i++) {
    const digit = digits[i] as string
    text += (hash[i] as string) >= '8' ? digit.toUpperCase() : digit
  }
  return text
}
