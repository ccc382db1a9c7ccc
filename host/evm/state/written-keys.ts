import { ACCOUNT_ROW, STORAGE_ROW, type StateDiff } from '../engine/state-diff.ts'

/** Keys ever written to a state, whether or not they still exist. Some may occur twice. */
export interface WrittenKeys {
  /** Addresses, 20 bytes each. */
  accounts(): Iterable<Uint8Array>
  /** Addresses followed by slots, 52 bytes each. */
  slots(): Iterable<Uint8Array>
}

function* keysOf(rows: Uint8Array, row: number, length: number): Generator<Uint8Array, void> {
  for (let at = 0; at < rows.length; at += row) yield rows.subarray(at, at + length)
}

/** Returns the written keys, followed by those that amendments have written since. */
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
