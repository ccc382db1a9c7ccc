// Written by tools/generate-tables.ts from tools/tables/chain-precompile.ts; do not edit.

export const DENOMINATION: string = 'usei'
export const NAME: string = 'Sei'
export const SYMBOL: string = 'SEI'
export const DECIMALS: u64 = 6
/** Wei per unit of the denomination. */
export const WEI: u64 = 1000000000000
/** Prefix of a bech32 address. */
export const BECH32_PREFIX: string = 'sei'
