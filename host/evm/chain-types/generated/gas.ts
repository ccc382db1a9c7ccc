// Written by tools/generate-tables.ts from tools/tables/gas.ts; do not edit.

import { atLeast, type Revision } from '../revision.ts'

/** The gas that such a call passes on for free. */
export const CALL_STIPEND = 2300n
/** The base cost of a transaction. */
export const TRANSACTION_GAS = 21000n
/** A creation (EIP-2). */
export const TRANSACTION_CREATE = 32000n
/** For each word of initcode (EIP-3860). */
export const INITCODE_WORD = 2n
/** For each zero byte of data. */
export const DATA_ZERO = 4n
/** For each other byte of data (EIP-2028). */
export function dataNonzeroGas(revision: Revision): bigint {
  return atLeast(revision, 'Istanbul') ? 16n : 68n
}
/** EIP-2930. */
export const ACCESS_LIST_ADDRESS = 2400n
/** EIP-2930. */
export const ACCESS_LIST_SLOT = 1900n
/** For each authorization (EIP-7702). */
export const AUTHORIZATION_NEW = 25000n
/** Minimum for each token of data (EIP-7623). */
export const FLOOR_TOKEN = 10n
/** Tokens of a non-zero byte (EIP-7623). */
export const TOKENS_NONZERO = 4n
/** Blob gas of each blob (EIP-4844). */
export const BLOB_GAS = 131072n
