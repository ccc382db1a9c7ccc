// Written by tools/generate-tables.ts from tools/tables/chain-precompile.ts; do not edit.

// Ids of the precompiles: their addresses as numbers.
export const BANK_ID: u32 = 0x1001
export const WASMD_ID: u32 = 0x1002
export const JSON_ID: u32 = 0x1003
export const ADDR_ID: u32 = 0x1004
export const STAKING_ID: u32 = 0x1005
export const GOV_ID: u32 = 0x1006
export const DISTRIBUTION_ID: u32 = 0x1007
export const ORACLE_ID: u32 = 0x1008
export const IBC_ID: u32 = 0x1009
export const POINTERVIEW_ID: u32 = 0x100a
export const POINTER_ID: u32 = 0x100b
export const SOLO_ID: u32 = 0x100c
export const AUTH_ID: u32 = 0x100d
export const AUTHZ_ID: u32 = 0x100e
export const EVIDENCE_ID: u32 = 0x100f
export const FEEGRANT_ID: u32 = 0x1010
export const P256_ID: u32 = 0x1011
export const MINT_ID: u32 = 0x1012
export const PARAMS_ID: u32 = 0x1013
export const SLASHING_ID: u32 = 0x1014
export const UPGRADE_ID: u32 = 0x1015

// Selectors of their functions.
export const BANK_SEND: u32 = 0x5c05961b
export const BANK_SEND_NATIVE: u32 = 0x6ff45dad
export const BANK_BALANCE: u32 = 0x16cadeab
export const BANK_ALL_BALANCES: u32 = 0x0c5e2789
export const BANK_NAME: u32 = 0x5b43bc99
export const BANK_SYMBOL: u32 = 0x41bb0559
export const BANK_DECIMALS: u32 = 0x3b2b3204
export const BANK_SUPPLY: u32 = 0x6923a1fd
export const JSON_EXTRACT_AS_BYTES: u32 = 0x08d858e5
export const JSON_EXTRACT_AS_BYTES_LIST: u32 = 0x87cdf621
export const JSON_EXTRACT_AS_UINT256: u32 = 0x5a558982
export const JSON_EXTRACT_AS_BYTES_FROM_ARRAY: u32 = 0xb0bf8a47
export const ADDR_ASSOCIATE: u32 = 0x8941d0e3
export const ADDR_ASSOCIATE_PUB_KEY: u32 = 0x1494082b
export const ADDR_GET_SEI_ADDR: u32 = 0x0c3c20ed
export const ADDR_GET_EVM_ADDR: u32 = 0x1778e539
export const P256_VERIFY: u32 = 0x8e760afe

// What is known of a function
export const KNOWN: u32 = 1
export const PAYABLE: u32 = 2
export const VIEW: u32 = 4

/** What is known of a function of a precompile; 0 where it has none of that selector. */
export function flagsOf(id: u32, selector: u32): u32 {
  if (id == BANK_ID && selector == BANK_SEND) return KNOWN
  if (id == BANK_ID && selector == BANK_SEND_NATIVE) return KNOWN | PAYABLE
  if (id == BANK_ID && selector == BANK_BALANCE) return KNOWN | VIEW
  if (id == BANK_ID && selector == BANK_ALL_BALANCES) return KNOWN | VIEW
  if (id == BANK_ID && selector == BANK_NAME) return KNOWN | VIEW
  if (id == BANK_ID && selector == BANK_SYMBOL) return KNOWN | VIEW
  if (id == BANK_ID && selector == BANK_DECIMALS) return KNOWN | VIEW
  if (id == BANK_ID && selector == BANK_SUPPLY) return KNOWN | VIEW
  if (id == JSON_ID && selector == JSON_EXTRACT_AS_BYTES) return KNOWN | VIEW
  if (id == JSON_ID && selector == JSON_EXTRACT_AS_BYTES_LIST) return KNOWN | VIEW
  if (id == JSON_ID && selector == JSON_EXTRACT_AS_UINT256) return KNOWN | VIEW
  if (id == JSON_ID && selector == JSON_EXTRACT_AS_BYTES_FROM_ARRAY) return KNOWN | VIEW
  if (id == ADDR_ID && selector == ADDR_ASSOCIATE) return KNOWN
  if (id == ADDR_ID && selector == ADDR_ASSOCIATE_PUB_KEY) return KNOWN
  if (id == ADDR_ID && selector == ADDR_GET_SEI_ADDR) return KNOWN | VIEW
  if (id == ADDR_ID && selector == ADDR_GET_EVM_ADDR) return KNOWN | VIEW
  if (id == P256_ID && selector == P256_VERIFY) return KNOWN | VIEW
  return 0
}

/** Name of a precompile. */
export function nameOf(id: u32): string {
  if (id == WASMD_ID) return 'wasmd'
  if (id == JSON_ID) return 'json'
  if (id == ADDR_ID) return 'addr'
  if (id == STAKING_ID) return 'staking'
  if (id == GOV_ID) return 'gov'
  if (id == DISTRIBUTION_ID) return 'distribution'
  if (id == ORACLE_ID) return 'oracle'
  if (id == IBC_ID) return 'ibc'
  if (id == POINTERVIEW_ID) return 'pointerview'
  if (id == POINTER_ID) return 'pointer'
  if (id == SOLO_ID) return 'solo'
  if (id == AUTH_ID) return 'auth'
  if (id == AUTHZ_ID) return 'authz'
  if (id == EVIDENCE_ID) return 'evidence'
  if (id == FEEGRANT_ID) return 'feegrant'
  if (id == P256_ID) return 'p256'
  if (id == MINT_ID) return 'mint'
  if (id == PARAMS_ID) return 'params'
  if (id == SLASHING_ID) return 'slashing'
  if (id == UPGRADE_ID) return 'upgrade'
  return 'bank'
}

/** What this chain does not have, so that every call of the precompile reverts; empty where it has a module. */
export function lackOf(id: u32): string {
  if (id == WASMD_ID) return 'no CosmWasm contracts'
  if (id == GOV_ID) return 'no governance'
  if (id == DISTRIBUTION_ID) return 'no distribution of rewards'
  if (id == ORACLE_ID) return 'no price oracle'
  if (id == IBC_ID) return 'no IBC'
  if (id == POINTERVIEW_ID) return 'no registry of pointers'
  if (id == POINTER_ID) return 'no registration of pointers: genesis names them'
  if (id == SOLO_ID) return 'no accounts to claim'
  if (id == AUTH_ID) return 'no accounts beside those of the EVM'
  if (id == AUTHZ_ID) return 'no grants'
  if (id == EVIDENCE_ID) return 'no evidence module'
  if (id == FEEGRANT_ID) return 'no fee grants'
  if (id == MINT_ID) return 'no minting'
  if (id == PARAMS_ID) return 'no changes of parameters'
  if (id == SLASHING_ID) return 'no slashing'
  if (id == UPGRADE_ID) return 'no upgrades by plan'
  return ''
}
