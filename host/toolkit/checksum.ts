import { keccak_256 } from '@noble/hashes/sha3.js'
import { type Hex, parseFixedData } from '../base/hex.ts'
import { checksumAddress } from '../evm/chain-types/address.ts'

/** An address with the upper and lower case of EIP-55. */
export function checksummed(address: string): Hex {
  return checksumAddress(parseFixedData(address.toLowerCase(), 20), keccak_256) as Hex
}

/** Whether an address of 40 hex digits has the case of EIP-55. */
export function isChecksummed(address: string): boolean {
  return checksummed(address) === address
}
