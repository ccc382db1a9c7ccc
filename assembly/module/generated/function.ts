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
export const STAKING_DELEGATE: u32 = 0x9ddb511a
export const STAKING_REDELEGATE: u32 = 0x7dd0209d
export const STAKING_UNDELEGATE: u32 = 0x8dfc8897
export const STAKING_CREATE_VALIDATOR: u32 = 0xefec2dde
export const STAKING_EDIT_VALIDATOR: u32 = 0x5c501c10
export const STAKING_DELEGATION: u32 = 0x241774e6
export const STAKING_UNJAIL: u32 = 0xf679d305
export const STAKING_SIGNING_INFO: u32 = 0x636147e8
export const STAKING_BEGIN_BLOCK: u32 = 0xa6903278
export const P256_VERIFY: u32 = 0x8e760afe

// Topics of their logs.
export const STAKING_DELEGATE_EVENT: usize = memory.data<u8>([0x00, 0xe1, 0xef, 0x0a, 0xa5, 0xcb, 0xcd, 0xc2, 0xae, 0x3c, 0xe2, 0x84, 0x09, 0x84, 0x59, 0x0a, 0xb4, 0x29, 0xa9, 0x57, 0x9c, 0x9a, 0x4b, 0x89, 0xca, 0x93, 0xd7, 0x71, 0x05, 0xd4, 0x0e, 0x4a])
export const STAKING_REDELEGATE_EVENT: usize = memory.data<u8>([0x1b, 0x26, 0xc9, 0xb9, 0x36, 0x07, 0x49, 0xef, 0x95, 0x7c, 0xd7, 0xeb, 0xe4, 0x94, 0xc6, 0x68, 0x14, 0xab, 0x18, 0x1a, 0xda, 0x52, 0x37, 0x7a, 0xe3, 0x03, 0x6f, 0xa2, 0x4e, 0x9b, 0xef, 0xa7])
export const STAKING_UNDELEGATE_EVENT: usize = memory.data<u8>([0xc5, 0xc7, 0x7b, 0xd6, 0x1c, 0x77, 0x1d, 0x28, 0x2f, 0x85, 0xe9, 0xd5, 0x7c, 0x07, 0x4c, 0xc5, 0xda, 0x68, 0x81, 0x58, 0xdb, 0x5f, 0x44, 0x22, 0xa3, 0x76, 0x56, 0x9a, 0x2c, 0x69, 0xa5, 0x73])
export const STAKING_VALIDATOR_CREATED_EVENT: usize = memory.data<u8>([0xb0, 0x7a, 0xc1, 0xa8, 0xf8, 0x6c, 0x67, 0xf4, 0xf2, 0xd9, 0x48, 0xb6, 0xd9, 0x3c, 0x8c, 0xed, 0xb3, 0xa8, 0x21, 0xe5, 0xee, 0x79, 0x47, 0x5a, 0x9b, 0xbc, 0x12, 0x69, 0xa8, 0x75, 0x3f, 0x37])
export const STAKING_VALIDATOR_EDITED_EVENT: usize = memory.data<u8>([0x3a, 0xc1, 0x61, 0x6a, 0xb7, 0x20, 0x92, 0xb2, 0x43, 0xfb, 0x31, 0x8e, 0x94, 0xd1, 0x14, 0x51, 0xde, 0x40, 0xa5, 0x98, 0x22, 0xd4, 0xaf, 0xc8, 0xbb, 0xb5, 0x8f, 0x74, 0x71, 0x0d, 0xa2, 0x25])
export const STAKING_VALIDATOR_UNJAILED_EVENT: usize = memory.data<u8>([0x0d, 0x42, 0x33, 0xe2, 0x52, 0xd9, 0x8e, 0xd4, 0x61, 0x17, 0x45, 0xc3, 0x50, 0x00, 0x8c, 0x52, 0x0a, 0x77, 0x04, 0xae, 0x50, 0x72, 0x1f, 0x66, 0x06, 0x51, 0xa8, 0x10, 0x55, 0xd6, 0x59, 0xae])

// Flags of a function
export const KNOWN: u32 = 1
export const PAYABLE: u32 = 2
export const VIEW: u32 = 4
export const NEEDS_DOWNTIME: u32 = 8

/** Returns the flags of a function of a precompile; 0 if it has no function with that selector. */
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
  if (id == STAKING_ID && selector == STAKING_DELEGATE) return KNOWN | PAYABLE
  if (id == STAKING_ID && selector == STAKING_REDELEGATE) return KNOWN
  if (id == STAKING_ID && selector == STAKING_UNDELEGATE) return KNOWN
  if (id == STAKING_ID && selector == STAKING_CREATE_VALIDATOR) return KNOWN | PAYABLE
  if (id == STAKING_ID && selector == STAKING_EDIT_VALIDATOR) return KNOWN
  if (id == STAKING_ID && selector == STAKING_DELEGATION) return KNOWN | VIEW
  if (id == STAKING_ID && selector == STAKING_UNJAIL) return KNOWN | NEEDS_DOWNTIME
  if (id == STAKING_ID && selector == STAKING_SIGNING_INFO) return KNOWN | VIEW | NEEDS_DOWNTIME
  if (id == STAKING_ID && selector == STAKING_BEGIN_BLOCK) return KNOWN
  if (id == P256_ID && selector == P256_VERIFY) return KNOWN | VIEW
  return 0
}

/** Returns the name of a precompile. */
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

/** Returns what this chain lacks, so that every call of the precompile reverts; empty if it has a module. */
export function lackOf(id: u32): string {
  if (id == WASMD_ID) return 'no CosmWasm contracts'
  if (id == GOV_ID) return 'no governance'
  if (id == DISTRIBUTION_ID) return 'no distribution of rewards'
  if (id == ORACLE_ID) return 'no price oracle'
  if (id == IBC_ID) return 'no IBC'
  if (id == POINTERVIEW_ID) return 'no registry of pointers'
  if (id == POINTER_ID) return 'no registration of pointers: genesis names them'
  if (id == SOLO_ID) return 'no accounts to claim'
  if (id == AUTH_ID) return 'no accounts besides those of the EVM'
  if (id == AUTHZ_ID) return 'no grants'
  if (id == EVIDENCE_ID) return 'no evidence module'
  if (id == FEEGRANT_ID) return 'no fee grants'
  if (id == MINT_ID) return 'no minting'
  if (id == PARAMS_ID) return 'no changes of parameters'
  if (id == SLASHING_ID) return 'no way out of jail by a call'
  if (id == UPGRADE_ID) return 'no upgrades by plan'
  return ''
}
