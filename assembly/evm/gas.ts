import {
  BERLIN,
  ISTANBUL,
  OSAKA,
  PRAGUE,
  revision,
  SPURIOUS_DRAGON,
  TANGERINE_WHISTLE,
} from './revision'

// Yellow paper, appendix G; the groups that never changed
export const COPY_WORD: u64 = 3
export const KECCAK_WORD: u64 = 6
export const LOG_BASE: u64 = 375
export const LOG_TOPIC: u64 = 375
export const LOG_BYTE: u64 = 8
export const CREATE_BASE: u64 = 32000
export const CODE_DEPOSIT_BYTE: u64 = 200
export const CALL_VALUE: u64 = 9000
export const CALL_STIPEND: u64 = 2300
export const NEW_ACCOUNT: u64 = 25000

// EIP-2929: first and later touches of an address or a slot
export const COLD_ACCOUNT: u64 = 2600
export const COLD_SLOAD: u64 = 2100
export const WARM_READ: u64 = 100

// EIP-3860: initcode is limited, and paid by the word
export const INITCODE_WORD: u64 = 2
export const MAX_INITCODE: u64 = 49152
// EIP-170
export const MAX_CODE: u64 = 24576

// EIP-2200 and EIP-3529
export const SSTORE_SET: u64 = 20000
export const SSTORE_RESET: u64 = 5000
export const SSTORE_SENTRY: u64 = 2300
export const SSTORE_CLEAR_REFUND: u64 = 15000
export const SSTORE_CLEAR_REFUND_LONDON: u64 = 4800
export const SELFDESTRUCT_REFUND: u64 = 24000

// Transactions: yellow paper; EIP-2 (creation), EIP-2028, EIP-2930, EIP-7702, EIP-7623, EIP-7825
export const TRANSACTION: u64 = 21000
export const TRANSACTION_CREATE: u64 = 32000
export const DATA_ZERO: u64 = 4
export const DATA_NONZERO_FRONTIER: u64 = 68
export const DATA_NONZERO: u64 = 16
export const ACCESS_LIST_ADDRESS: u64 = 2400
export const ACCESS_LIST_SLOT: u64 = 1900
export const AUTHORIZATION_NEW: u64 = 25000
export const AUTHORIZATION_REFUND: u64 = 12500
export const FLOOR_TOKEN: u64 = 10
export const TOKENS_NONZERO: u64 = 4
export const MAX_TRANSACTION_GAS: u64 = 1 << 24
/** EIP-4844. */
export const BLOB_GAS: u64 = 1 << 17

/** BALANCE: EIP-150, EIP-1884. Berlin replaces it by the access cost. */
export function balanceGas(): u64 {
  return revision >= ISTANBUL ? 700 : revision >= TANGERINE_WHISTLE ? 400 : 20
}

/** EXTCODESIZE, EXTCODECOPY: EIP-150. */
export function externalCodeGas(): u64 {
  return revision >= TANGERINE_WHISTLE ? 700 : 20
}

/** EXTCODEHASH: EIP-1052, EIP-1884. */
export function externalHashGas(): u64 {
  return revision >= ISTANBUL ? 700 : 400
}

/** SLOAD: EIP-150, EIP-1884. */
export function sloadGas(): u64 {
  return revision >= ISTANBUL ? 800 : revision >= TANGERINE_WHISTLE ? 200 : 50
}

/** CALL family: EIP-150. */
export function callGas(): u64 {
  return revision >= TANGERINE_WHISTLE ? 700 : 40
}

/** SELFDESTRUCT: EIP-150. */
export function selfdestructGas(): u64 {
  return revision >= TANGERINE_WHISTLE ? 5000 : 0
}

/** EXP by the byte of the exponent: EIP-160. */
export function exponentByteGas(): u64 {
  return revision >= SPURIOUS_DRAGON ? 50 : 10
}

/** True where touching state is priced by EIP-2929. */
@inline
export function isBerlin(): bool {
  return revision >= BERLIN
}

/** Blobs a transaction may carry: EIP-4844, EIP-7691, EIP-7594. */
export function maxBlobs(): u32 {
  if (revision >= OSAKA) return 6
  return revision >= PRAGUE ? 9 : 6
}
