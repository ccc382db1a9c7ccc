import { getAddress } from 'viem'
import type { Hex } from '../../../../base/hex.ts'

/** Formats an address with its checksum (EIP-55). */
export function addressText(address: Hex): string {
  return getAddress(address)
}

/** Formats both ends of an address, `0xf39F…2266`, if the whole is shown elsewhere. */
export function shortAddress(address: Hex): string {
  const text = addressText(address)
  return `${text.slice(0, 6)}…${text.slice(-4)}`
}
