// Written by tools/generate-tables.ts from tools/tables/gas.ts; do not edit.

import { TANGERINE_WHISTLE, SPURIOUS_DRAGON, ISTANBUL, BERLIN, LONDON, OSAKA, AMSTERDAM } from './revision'

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
/** For each byte of deployed code; state gas since Amsterdam (EIP-8037). */
// @ts-ignore: decorator
@inline
export function codeDepositByteGas(revision: i32): u64 {
  return revision >= AMSTERDAM ? 0 : 200
}
/** For each word of deployed code, which is hashed (EIP-8037). */
// @ts-ignore: decorator
@inline
export function codeDepositWordGas(revision: i32): u64 {
  return revision >= AMSTERDAM ? 6 : 0
}
/** CREATE, CREATE2 and a transaction that creates: since Amsterdam access and write (EIP-2, EIP-8038). */
// @ts-ignore: decorator
@inline
export function createGas(revision: i32): u64 {
  return revision >= AMSTERDAM ? 12000 : 32000
}
/** A call that moves value (EIP-8038). */
// @ts-ignore: decorator
@inline
export function callValueGas(revision: i32): u64 {
  return revision >= AMSTERDAM ? 11300 : 9000
}
/** The gas that such a call passes on for free. */
export const CALL_STIPEND: u64 = 2300
/** A call that creates an account; state gas since Amsterdam (EIP-8037). */
// @ts-ignore: decorator
@inline
export function newAccountGas(revision: i32): u64 {
  return revision >= AMSTERDAM ? 0 : 25000
}
/** SELFDESTRUCT that creates an account: since Amsterdam only the write (EIP-8038). */
// @ts-ignore: decorator
@inline
export function newBeneficiaryGas(revision: i32): u64 {
  return revision >= AMSTERDAM ? 9000 : 25000
}
/** EXP, for each byte of the exponent (EIP-160). */
// @ts-ignore: decorator
@inline
export function exponentByteGas(revision: i32): u64 {
  return revision >= SPURIOUS_DRAGON ? 50 : 10
}
/** The first touch of an account (EIP-2929, EIP-8038). */
// @ts-ignore: decorator
@inline
export function coldAccountGas(revision: i32): u64 {
  return revision >= AMSTERDAM ? 3000 : 2600
}
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
/** EXTCODESIZE and EXTCODECOPY, beside the touch of the account (EIP-8038). */
// @ts-ignore: decorator
@inline
export function codeReadGas(revision: i32): u64 {
  return revision >= AMSTERDAM ? 100 : 0
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
/** A slot that changes from zero; since Amsterdam the warm touch and the write (EIP-8038). */
// @ts-ignore: decorator
@inline
export function sstoreSetGas(revision: i32): u64 {
  return revision >= AMSTERDAM ? 10100 : 20000
}
/** Another change of a slot; from Berlin on minus coldSload. */
// @ts-ignore: decorator
@inline
export function sstoreResetGas(revision: i32): u64 {
  return revision >= AMSTERDAM ? 12200 : 5000
}
/** SSTORE into a slot touched first, beside the rest (EIP-2929, EIP-8038). */
// @ts-ignore: decorator
@inline
export function sstoreColdGas(revision: i32): u64 {
  return revision >= AMSTERDAM ? 2000 : 2100
}
/** SSTORE without a new change of the original value (EIP-1283, EIP-2200, EIP-2929). */
// @ts-ignore: decorator
@inline
export function sstoreReadGas(revision: i32): u64 {
  return revision >= BERLIN ? 100 : revision >= ISTANBUL ? 800 : 200
}
/** SSTORE fails if no more gas than this is left (EIP-2200). */
export const SSTORE_SENTRY: u64 = 2300
/** A slot becomes zero (EIP-3529, EIP-8038). */
// @ts-ignore: decorator
@inline
export function sstoreClearRefundGas(revision: i32): u64 {
  return revision >= AMSTERDAM ? 11616 : revision >= LONDON ? 4800 : 15000
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
/** The base cost since Amsterdam, without recipient and value (EIP-2780). */
export const SENDER_BASE: u64 = 12000
/** A transaction that moves value to another account (EIP-2780). */
export const TRANSFER_VALUE: u64 = 6000
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
/** EIP-2930, EIP-8038. */
// @ts-ignore: decorator
@inline
export function accessListAddressGas(revision: i32): u64 {
  return revision >= AMSTERDAM ? 2900 : 2400
}
/** EIP-2930, EIP-8038. */
// @ts-ignore: decorator
@inline
export function accessListSlotGas(revision: i32): u64 {
  return revision >= AMSTERDAM ? 2000 : 1900
}
/** For each byte of an access list, also in the minimum (EIP-7981). */
// @ts-ignore: decorator
@inline
export function accessListByteGas(revision: i32): u64 {
  return revision >= AMSTERDAM ? 64 : 0
}
/** For each authorization (EIP-7702, EIP-8037). */
// @ts-ignore: decorator
@inline
export function authorizationGas(revision: i32): u64 {
  return revision >= AMSTERDAM ? 7816 : 25000
}
/** The cost of an authorization whose authority already exists, until Amsterdam (EIP-7702). */
export const AUTHORIZATION_REFUND: u64 = 12500
/** Minimum for each token of data (EIP-7623, EIP-7976). */
// @ts-ignore: decorator
@inline
export function floorTokenGas(revision: i32): u64 {
  return revision >= AMSTERDAM ? 16 : 10
}
/** Tokens of a zero byte (EIP-7623, EIP-7976). */
// @ts-ignore: decorator
@inline
export function tokensZeroGas(revision: i32): u64 {
  return revision >= AMSTERDAM ? 4 : 1
}
/** Tokens of a non-zero byte (EIP-7623). */
export const TOKENS_NONZERO: u64 = 4
/** The first write to an authority (EIP-2780). */
export const ACCOUNT_WRITE: u64 = 9000
/** For each byte of deployed code. */
export const STATE_BYTE: u64 = 1530
/** For each new account: 120 bytes. */
export const STATE_ACCOUNT: u64 = 183600
/** For each new slot: 64 bytes. */
export const STATE_SLOT: u64 = 97920
/** For each new delegation: 23 bytes. */
export const STATE_DELEGATION: u64 = 35190
/** State gas of a call by the protocol: 16 slots. */
export const SYSTEM_STATE: u64 = 1566720
/** Blob gas of each blob (EIP-4844). */
export const BLOB_GAS: u64 = 131072
