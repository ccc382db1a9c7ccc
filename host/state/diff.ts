export type { BlockDiff as StateDiff, CodeRow } from '../engine/block-diff.ts'

/** Bytes of a row of `StateDiff.accounts`: address 20, account record 72. */
export const ACCOUNT_ROW = 92
/** Bytes of a row of `StateDiff.storage`: address 20, slot 32, value 32. */
export const STORAGE_ROW = 84
/** Bytes of a row of `StateDiff.cleared`: address 20. */
export const CLEARED_ROW = 20
