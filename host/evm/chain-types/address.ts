import { hexDigits } from '../../base/hex.ts'
import { encodeRlp, rlpInteger } from '../../base/rlp.ts'
import type { Keccak256 } from './signature-recovery.ts'

/** Returns the address of the contract that `sender` creates with a transaction of this nonce. */
export function createAddress(sender: Uint8Array, nonce: bigint, keccak256: Keccak256): Uint8Array {
  return keccak256(encodeRlp([sender, rlpInteger(nonce)])).slice(12)
}

/** Returns the address as hex with the EIP-55 checksum. */
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
