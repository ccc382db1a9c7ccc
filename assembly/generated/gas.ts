// Written by tools/generate-tables.ts from tools/tables/gas.ts; do not edit.

import { TANGERINE_WHISTLE, SPURIOUS_DRAGON, ISTANBUL, BERLIN, LONDON, OSAKA } from './revision'

/** For each word of memory. */
export const MEMORY_WORD: u64 = 3
/** The square of the words of memory divided by this is added. */
export const MEMORY_SQUARE_DIVISOR: u64 = 512
/** For each word copied. */
export const COPY_WORD: u64 = 3
/** For each word hashed. */
export const KECCAK_WORD: u64 = 6
/** For each topic of a log. */
export const LOG_TOPIC: u64 = 375
/** For each byte of a log. */
export const LOG_BYTE: u64 = 8
/** For each byte of deployed code. */
export const CODE_DEPOSIT_BYTE: u64 = 200
/** A call that moves value. */
export const CALL_VALUE: u64 = 9000
/** The gas that such a call passes on for free. */
export const CALL_STIPEND: u64 = 2300
/** A call that creates an account. */
export const NEW_ACCOUNT: u64 = 25000
/** EXP, for each byte of the exponent (EIP-160). */
// @ts-ignore: decorator
@inline
export function exponentByteGas(revision: i32): u64 {
  return revision >= SPURIOUS_DRAGON ? 50 : 10
}
/** The first touch of an account (EIP-2929). */
export const COLD_ACCOUNT: u64 = 2600
/** The first touch of a slot (EIP-2929). */
export const COLD_SLOAD: u64 = 2100
/** A later touch of either (EIP-2929). */
export const WARM_READ: u64 = 100
/** BALANCE until Berlin (EIP-150, EIP-1884). */
// @ts-ignore: decorator
@inline
export function balanceGas(revision: i32): u64 {
  return revision >= ISTANBUL ? 700 : revision >= TANGERINE_WHISTLE ? 400 : 20
}
/** EXTCODESIZE and EXTCODECOPY until Berlin (EIP-150). */
// @ts-ignore: decorator
@inline
export function externalCodeGas(revision: i32): u64 {
  return revision >= TANGERINE_WHISTLE ? 700 : 20
}
/** EXTCODEHASH until Berlin (EIP-1052, EIP-1884). */
// @ts-ignore: decorator
@inline
export function externalHashGas(revision: i32): u64 {
  return revision >= ISTANBUL ? 700 : 400
}
/** SLOAD until Berlin (EIP-150, EIP-1884). */
// @ts-ignore: decorator
@inline
export function sloadGas(revision: i32): u64 {
  return revision >= ISTANBUL ? 800 : revision >= TANGERINE_WHISTLE ? 200 : 50
}
/** The CALL family until Berlin (EIP-150). */
// @ts-ignore: decorator
@inline
export function callGas(revision: i32): u64 {
  return revision >= TANGERINE_WHISTLE ? 700 : 40
}
/** SELFDESTRUCT (EIP-150). */
// @ts-ignore: decorator
@inline
export function selfdestructGas(revision: i32): u64 {
  return revision >= TANGERINE_WHISTLE ? 5000 : 0
}
/** Until EIP-3529. */
export const SELFDESTRUCT_REFUND: u64 = 24000
/** A slot that changes from zero. */
export const SSTORE_SET: u64 = 20000
/** Another change of a slot; from Berlin on minus coldSload. */
export const SSTORE_RESET: u64 = 5000
/** SSTORE without a new change of the original value (EIP-1283, EIP-2200, EIP-2929). */
// @ts-ignore: decorator
@inline
export function sstoreReadGas(revision: i32): u64 {
  return revision >= BERLIN ? 100 : revision >= ISTANBUL ? 800 : 200
}
/** SSTORE fails if no more gas than this is left (EIP-2200). */
export const SSTORE_SENTRY: u64 = 2300
/** A slot becomes zero (EIP-3529). */
// @ts-ignore: decorator
@inline
export function sstoreClearRefundGas(revision: i32): u64 {
  return revision >= LONDON ? 4800 : 15000
}
/** Minimum of MODEXP (EIP-2565, EIP-7883). */
// @ts-ignore: decorator
@inline
export function modexpMinimumGas(revision: i32): u64 {
  return revision >= OSAKA ? 500 : revision >= BERLIN ? 200 : 0
}
/** BLS12_G1MSM for each pair, before the discount (EIP-2537). */
export const G1_MULTIPLICATION: u64 = 12000
/** BLS12_G2MSM for each pair, before the discount (EIP-2537). */
export const G2_MULTIPLICATION: u64 = 22500
/** The base cost of a transaction. */
export const TRANSACTION_GAS: u64 = 21000
/** A creation (EIP-2). */
export const TRANSACTION_CREATE: u64 = 32000
/** For each word of initcode (EIP-3860). */
export const INITCODE_WORD: u64 = 2
/** For each zero byte of data. */
export const DATA_ZERO: u64 = 4
/** For each other byte of data (EIP-2028). */
// @ts-ignore: decorator
@inline
export function dataNonzeroGas(revision: i32): u64 {
  return revision >= ISTANBUL ? 16 : 68
}
/** EIP-2930. */
export const ACCESS_LIST_ADDRESS: u64 = 2400
/** EIP-2930. */
export const ACCESS_LIST_SLOT: u64 = 1900
/** For each authorization (EIP-7702). */
export const AUTHORIZATION_NEW: u64 = 25000
/** The cost of an authorization whose authority already exists (EIP-7702). */
export const AUTHORIZATION_REFUND: u64 = 12500
/** Minimum for each token of data (EIP-7623). */
export const FLOOR_TOKEN: u64 = 10
/** Tokens of a non-zero byte (EIP-7623). */
export const TOKENS_NONZERO: u64 = 4
/** Blob gas of each blob (EIP-4844). */
export const BLOB_GAS: u64 = 131072
