// Written by tools/generate-tables.ts from tools/tables/limit.ts; do not edit.

import { LONDON, PRAGUE, OSAKA, AMSTERDAM } from './revision'

/** Deepest frame: the transaction's own has depth 0 (yellow paper, section 8). */
export const MAX_DEPTH: i32 = 1024
/** Words of a stack. */
export const STACK_WORDS: usize = 1024
/** Bytes of a contract's code, from Spurious Dragon on (EIP-170, EIP-7954). */
// @ts-ignore: decorator
@inline
export function maxCode(revision: i32): u64 {
  return revision >= AMSTERDAM ? 65536 : 24576
}
/** Bytes of initcode that a creation may carry, from Shanghai on (EIP-3860, EIP-7954). */
// @ts-ignore: decorator
@inline
export function maxInitcode(revision: i32): u64 {
  return revision >= AMSTERDAM ? 131072 : 49152
}
/** Gas of one transaction, from Osaka on (EIP-7825); since Amsterdam without state gas (EIP-8037). */
export const MAX_TRANSACTION_GAS: u64 = 16777216
/** Gas and state gas of one transaction, from Amsterdam on. */
export const MAX_TOTAL_GAS: u64 = 4294967295
/** An account with this nonce can send no more (EIP-2681). */
export const MAX_NONCE: u64 = 18446744073709551615
/** Blobs that a transaction may carry (EIP-4844, EIP-7691, EIP-7594). */
// @ts-ignore: decorator
@inline
export function maxBlobs(revision: i32): u32 {
  return revision >= OSAKA ? 6 : revision >= PRAGUE ? 9 : 6
}
/** Refunds are limited to the gas used divided by this (EIP-3529). */
// @ts-ignore: decorator
@inline
export function refundQuotient(revision: i32): u64 {
  return revision >= LONDON ? 5 : 2
}
/** Bytes of an operand of MODEXP, from Osaka on (EIP-7823). */
export const MAX_MODEXP_LENGTH: u64 = 1024
/** Most precompiles that a simulation may move, limited by the room in the block. */
export const MAX_MOVED: u32 = 32
