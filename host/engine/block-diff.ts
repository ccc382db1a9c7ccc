/** New bytecode and its Keccak-256 hash. */
export interface CodeRow {
  readonly codeHash: Uint8Array
  readonly code: Uint8Array
}

/**
 * What a block changed in EVM state: the last value of each account and slot, one row each, packed so
 * that 100,000 rows cost no objects (row sizes in host/state/diff.ts). An account record of zeros
 * deletes the account, a value of zeros the slot. `cleared` names the accounts whose storage is emptied
 * before `storage` applies (SELFDESTRUCT before Cancun; EIP-6780).
 */
export interface BlockDiff {
  readonly accounts: Uint8Array
  readonly cleared: Uint8Array
  readonly storage: Uint8Array
  readonly codes: readonly CodeRow[]
}
