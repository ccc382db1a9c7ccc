/** Bytes of a row of `StateDiff.accounts`: address 20, account record 72. */
export const ACCOUNT_ROW = 92
/** Bytes of a row of `StateDiff.storage`: address 20, slot 32, value 32. */
export const STORAGE_ROW = 84
/** Bytes of a row of `StateDiff.cleared`: address 20. */
export const CLEARED_ROW = 20

/** New bytecode and its Keccak-256 hash. */
export interface CodeRow {
  readonly codeHash: Uint8Array
  readonly code: Uint8Array
}

/**
 * State changes of a block: the last value of each changed account and slot, as packed rows (no object per row). An
 * account record of zeros deletes the account, a value of zeros the slot. `cleared` lists the accounts whose storage
 * is emptied before `storage` applies (SELFDESTRUCT before Cancun; EIP-6780).
 */
export interface StateDiff {
  readonly accounts: Uint8Array
  readonly cleared: Uint8Array
  readonly storage: Uint8Array
  readonly codes: readonly CodeRow[]
}
