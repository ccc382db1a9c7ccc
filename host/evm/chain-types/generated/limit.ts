// Written by tools/generate-tables.ts from tools/tables/limit.ts; do not edit.

import { atLeast, type Revision } from '../revision.ts'

/** Bytes of a contract's code, from Spurious Dragon on (EIP-170, EIP-7954). */
export function maxCode(revision: Revision): number {
  return atLeast(revision, 'Amsterdam') ? 65536 : 24576
}
/** Bytes of initcode that a creation may carry, from Shanghai on (EIP-3860, EIP-7954). */
export function maxInitcode(revision: Revision): number {
  return atLeast(revision, 'Amsterdam') ? 131072 : 49152
}
/** Gas of one transaction, from Osaka on (EIP-7825); since Amsterdam without state gas (EIP-8037). */
export const MAX_TRANSACTION_GAS = 16777216n
/** Gas and state gas of one transaction, from Amsterdam on. */
export const MAX_TOTAL_GAS = 4294967295n
/** An account with this nonce can send no more (EIP-2681). */
export const MAX_NONCE = 18446744073709551615n
/** Most precompiles that a simulation may move, limited by the room in the block. */
export const MAX_MOVED = 32
