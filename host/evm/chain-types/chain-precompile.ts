import { CHAIN_PRECOMPILES } from './generated/chain-precompile.ts'

const FIRST = CHAIN_PRECOMPILES[0]?.address ?? 1

/** Returns the table row of a 20-byte address; undefined if it is not a chain precompile. */
function rowAt(address: Uint8Array): (typeof CHAIN_PRECOMPILES)[number] | undefined {
  for (let i = 0; i < 18; i++) if (address[i] !== 0) return undefined
  return CHAIN_PRECOMPILES[(((address[18] as number) << 8) | (address[19] as number)) - FIRST]
}

/** True if the 20-byte address is one of the chain's own precompiles. */
export function isChainPrecompile(address: Uint8Array): boolean {
  return rowAt(address) !== undefined
}

/**
 * Returns the name of the module store that holds the account's slots as rows; undefined if the EVM state holds them.
 */
export function storeOf(address: Uint8Array): string | undefined {
  return rowAt(address)?.store
}
