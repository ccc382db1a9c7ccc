// Written by tools/generate-tables.ts from tools/tables/chain-precompile.ts; do not edit.

export const DENOMINATION: string = 'usei'
export const NAME: string = 'Sei'
export const SYMBOL: string = 'SEI'
export const DECIMALS: u64 = 6
/** How many wei one of the denomination is. */
export const WEI: u64 = 1000000000000
/** First part of an address in bech32. */
export const BECH32_PREFIX: string = 'sei'
