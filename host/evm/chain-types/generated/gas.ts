// Written by tools/generate-tables.ts from tools/tables/gas.ts; do not edit.

import { atLeast, type Revision } from '../revision.ts'

/** CREATE, CREATE2 and a transaction that creates: since Amsterdam access and write (EIP-2, EIP-8038). */
export function createGas(revision: Revision): bigint {
  return atLeast(revision, 'Amsterdam') ? 12000n : 32000n
}
/** The gas that such a call passes on for free. */
export const CALL_STIPEND = 2300n
/** The first touch of an account (EIP-2929, EIP-8038). */
export function coldAccountGas(revision: Revision): bigint {
  return atLeast(revision, 'Amsterdam') ? 3000n : 2600n
}
/** The base cost of a transaction. */
export const TRANSACTION_GAS = 21000n
/** The base cost since Amsterdam, without recipient and value (EIP-2780). */
export const SENDER_BASE = 12000n
/** A transaction that moves value to another account (EIP-2780). */
export const TRANSFER_VALUE = 6000n
/** For each word of initcode (EIP-3860). */
export const INITCODE_WORD = 2n
/** For each zero byte of data. */
export const DATA_ZERO = 4n
/** For each other byte of data (EIP-2028). */
export function dataNonzeroGas(revision: Revision): bigint {
  return atLeast(revision, 'Istanbul') ? 16n : 68n
}
/** EIP-2930, EIP-8038. */
export function accessListAddressGas(revision: Revision): bigint {
  return atLeast(revision, 'Amsterdam') ? 2900n : 2400n
}
/** EIP-2930, EIP-8038. */
export function accessListSlotGas(revision: Revision): bigint {
  return atLeast(revision, 'Amsterdam') ? 2000n : 1900n
}
/** For each byte of an access list, also in the minimum (EIP-7981). */
export function accessListByteGas(revision: Revision): bigint {
  return atLeast(revision, 'Amsterdam') ? 64n : 0n
}
/** For each authorization (EIP-7702, EIP-8037). */
export function authorizationGas(revision: Revision): bigint {
  return atLeast(revision, 'Amsterdam') ? 7816n : 25000n
}
/** Minimum for each token of data (EIP-7623, EIP-7976). */
export function floorTokenGas(revision: Revision): bigint {
  return atLeast(revision, 'Amsterdam') ? 16n : 10n
}
/** Tokens of a zero byte (EIP-7623, EIP-7976). */
export function tokensZeroGas(revision: Revision): bigint {
  return atLeast(revision, 'Amsterdam') ? 4n : 1n
}
/** Tokens of a non-zero byte (EIP-7623). */
export const TOKENS_NONZERO = 4n
/** Blob gas of each blob (EIP-4844). */
export const BLOB_GAS = 131072n
