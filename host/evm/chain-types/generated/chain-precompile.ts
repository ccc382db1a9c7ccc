// Written by tools/generate-tables.ts from tools/tables/chain-precompile.ts; do not edit.

export interface ChainPrecompileRow {
  /** Its value as a number. */
  readonly address: number
  readonly name: string
  /** Module store of its rows. */
  readonly store?: string
}

/** By ascending address, without gaps. */
export const CHAIN_PRECOMPILES: readonly ChainPrecompileRow[] = [
  { address: 0x1001, name: 'bank', store: 'bank' },
  { address: 0x1002, name: 'wasmd' },
  { address: 0x1003, name: 'json' },
  { address: 0x1004, name: 'addr', store: 'addr' },
  { address: 0x1005, name: 'staking', store: 'staking' },
  { address: 0x1006, name: 'gov' },
  { address: 0x1007, name: 'distribution' },
  { address: 0x1008, name: 'oracle' },
  { address: 0x1009, name: 'ibc' },
  { address: 0x100a, name: 'pointerview' },
  { address: 0x100b, name: 'pointer' },
  { address: 0x100c, name: 'solo' },
  { address: 0x100d, name: 'auth' },
  { address: 0x100e, name: 'authz' },
  { address: 0x100f, name: 'evidence' },
  { address: 0x1010, name: 'feegrant' },
  { address: 0x1011, name: 'p256' },
  { address: 0x1012, name: 'mint' },
  { address: 0x1013, name: 'params' },
  { address: 0x1014, name: 'slashing' },
  { address: 0x1015, name: 'upgrade' },
]

/** Code of their accounts, since Solidity checks EXTCODESIZE before it calls. */
export const PRECOMPILE_CODE = 0xfe

/** The denomination of accounts' balances. */
export const NATIVE_DENOMINATION = 'usei'

/** Wei per unit of it. */
export const NATIVE_WEI = 1000000000000n

/** Prefix of a bech32 address. */
export const BECH32_PREFIX = 'sei'
