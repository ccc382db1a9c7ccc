// Written by tools/generate-tables.ts from tools/tables/host-call.ts; do not edit.

/** A slot of an account. */
export const READ_ROW: u32 = 0
/** Nonce, balance and code hash of an account. */
export const READ_ACCOUNT: u32 = 1
/** Writes a slot. */
export const WRITE_ROW: u32 = 2
/** A log of an account. */
export const LOG: u32 = 3
/** Moves wei from one account to another. */
export const MOVE: u32 = 4
/** Burns wei of an account. */
export const BURN: u32 = 5

// How the call ends
/** All gas is taken; the field of the gas used holds the number of a reason. */
export const FAILED: i32 = 0
/** The gas used is taken. */
export const SUCCEEDED: i32 = 1
/** The gas used is taken, and all effects are reverted. */
export const REVERTED: i32 = 2
/** All gas is taken. */
export const OUT_OF_GAS: i32 = 3
