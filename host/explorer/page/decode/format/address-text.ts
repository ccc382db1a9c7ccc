import { getAddress } from 'viem'
import type { Hex } from '../../../../base/hex.ts'

/** An address with the letters of its checksum (EIP-55). */
export function addressText(address: Hex): string {
  return getAddress(address)
}

/** `0xf39F…2266`: both ends, for places where the whole is at hand otherwise. */
export function shortAddress(address: Hex): string {
  const text = addressText(address)
  return `${text.slice(0, 6)}…${text.slice(-4)}`
}
