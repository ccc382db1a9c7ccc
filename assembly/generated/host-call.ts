// Written by tools/generate-tables.ts from tools/tables/host-call.ts; do not edit.

/** A slot of an account. */
export const READ_ROW: u32 = 0
/** Nonce, balance and code hash of an account. */
export const READ_ACCOUNT: u32 = 1
/** A slot gets a value. */
export const WRITE_ROW: u32 = 2
/** A log of an account. */
export const LOG: u32 = 3
/** Wei go from one account to another. */
export const MOVE: u32 = 4
/** Wei of an account cease to be. */
export const BURN: u32 = 5

// How the call ends
/** All gas is taken; in place of the gas used stands the number of a reason. */
export const FAILED: i32 = 0
/** The gas used is taken. */
export const SUCCEEDED: i32 = 1
/** The gas used is taken, and all effects are taken back. */
export const REVERTED: i32 = 2
/** All gas is taken. */
export const OUT_OF_GAS: i32 = 3
