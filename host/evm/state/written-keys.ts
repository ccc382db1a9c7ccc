import { ACCOUNT_ROW, STORAGE_ROW, type StateDiff } from '../engine/state-diff.ts'

/** Keys of a state that were ever written, whether they are still there or not; some may come twice. */
export interface WrittenKeys {
  /** Addresses, 20 bytes each. */
  accounts(): Iterable<Uint8Array>
  /** Addresses with slots behind them, 52 bytes each. */
  slots(): Iterable<Uint8Array>
}

function* keysOf(rows: Uint8Array, row: number, length: number): Generator<Uint8Array, void> {
  for (let at = 0; at < rows.length; at += row) yield rows.subarray(at, at + length)
}

/** What was written, then what amendments have written since. */
export function withAmended(written: WrittenKeys, diffs: readonly StateDiff[]): WrittenKeys {
  return {
    *accounts() {
      yield* written.accounts()
      for (const { accounts } of diffs) yield* keysOf(accounts, ACCOUNT_ROW, 20)
    },
    *slots() {
      yield* written.slots()
      for (const { storage } of diffs) yield* keysOf(storage, STORAGE_ROW, 52)
    },
  }
}
