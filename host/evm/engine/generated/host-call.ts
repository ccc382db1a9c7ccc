// Written by tools/generate-tables.ts from tools/tables/host-call.ts; do not edit.

export const HOST_OPERATION = {
  /** A slot of an account. */
  readRow: 0,
  /** Nonce, balance and code hash of an account. */
  readAccount: 1,
  /** A slot gets a value. */
  writeRow: 2,
  /** A log of an account. */
  log: 3,
  /** Wei go from one account to another. */
  move: 4,
  /** Wei of an account cease to be. */
  burn: 5,
} as const

export const HOST_RESULT = {
  /** All gas is taken; in place of the gas used stands the number of a reason. */
  failed: 0,
  /** The gas used is taken. */
  succeeded: 1,
  /** The gas used is taken, and all effects are taken back. */
  reverted: 2,
  /** All gas is taken. */
  outOfGas: 3,
} as const
