// Written by tools/generate-tables.ts from tools/tables/host-call.ts; do not edit.

export const HOST_OPERATION = {
  /** A slot of an account. */
  readRow: 0,
  /** Nonce, balance and code hash of an account. */
  readAccount: 1,
  /** Writes a slot. */
  writeRow: 2,
  /** A log of an account. */
  log: 3,
  /** Moves wei from one account to another. */
  move: 4,
  /** Burns wei of an account. */
  burn: 5,
} as const

export const HOST_RESULT = {
  /** All gas is taken; the field of the gas used holds the number of a reason. */
  failed: 0,
  /** The gas used is taken. */
  succeeded: 1,
  /** The gas used is taken, and all effects are reverted. */
  reverted: 2,
  /** All gas is taken. */
  outOfGas: 3,
} as const
