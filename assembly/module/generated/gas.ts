// Written by tools/generate-tables.ts from tools/tables/chain-precompile.ts; do not edit.

/** A call: it leaves the engine, for some 3 us. */
export const CALL: u64 = 1000
/** Each word of input and of output, priced like a memory copy. */
export const WORD: u64 = 3
/** The first read of a row in a call, priced like a cold SLOAD. */
export const ROW_READ: u64 = 2100
/** Another read of it, priced like a warm SLOAD. */
export const ROW_AGAIN: u64 = 100
/** A new row, in addition to its read. */
export const ROW_NEW: u64 = 20000
/** A changed or deleted row, in addition to its read. */
export const ROW_CHANGE: u64 = 2900
/** The first read of an account in a call (EIP-2929). */
export const ACCOUNT_READ: u64 = 2600
/** A move of wei, priced like a CALL with value. */
export const MOVE: u64 = 9000
/** An account created by a move. */
export const NEW_ACCOUNT: u64 = 25000
/** A log. */
export const LOG: u64 = 375
/** Each of its topics. */
export const LOG_TOPIC: u64 = 375
/** Each byte of its data. */
export const LOG_BYTE: u64 = 8
/** Each byte of a JSON document. */
export const JSON_BYTE: u64 = 2
/** A public key recovered from a signature, priced like ECREC. */
export const RECOVERY: u64 = 3000
/** The addresses of a public key. */
export const KEY_HASH: u64 = 750
/** A signature over P-256 (EIP-7951). */
export const P256: u64 = 6900
