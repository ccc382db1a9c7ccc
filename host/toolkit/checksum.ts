import { keccak_256 } from '@noble/hashes/sha3.js'
import { type Hex, parseFixedData } from '../base/hex.ts'
import { checksumAddress } from '../evm/chain-types/address.ts'

/** Returns an address with the checksum of EIP-55. */
export function checksummed(address: string): Hex {
  return checksumAddress(parseFixedData(address.toLowerCase(), 20), keccak_256) as Hex
}

/** True if an address of 40 hex digits has the checksum of EIP-55. */
export function isChecksummed(address: string): boolean {
  return checksummed(address) === address
}
