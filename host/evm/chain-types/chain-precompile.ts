import { CHAIN_PRECOMPILES } from './generated/chain-precompile.ts'

const FIRST = CHAIN_PRECOMPILES[0]?.address ?? 1

/** The row of the table for the 20 bytes of an address; undefined for one that is none of this chain's precompiles. */
function rowAt(address: Uint8Array): (typeof CHAIN_PRECOMPILES)[number] | undefined {
  for (let i = 0; i < 18; i++) if (address[i] !== 0) return undefined
  return CHAIN_PRECOMPILES[(((address[18] as number) << 8) | (address[19] as number)) - FIRST]
}

/** True for the address, 20 bytes, of a precompile of this chain's own rules. */
export function isChainPrecompile(address: Uint8Array): boolean {
  return rowAt(address) !== undefined
}

/** Module store that the slots of an account lie in as rows; undefined where they are the EVM's. */
export function storeOf(address: Uint8Array): string | undefined {
  return rowAt(address)?.store
}
