import { concatBytes, EMPTY_BYTES } from '../../base/bytes.ts'
import type { GenesisAccount } from '../chain-types/genesis.ts'
import type { Keccak256 } from '../chain-types/signature-recovery.ts'
import type { CodeRow, StateDiff } from '../engine/state-diff.ts'
import { encodeAccount } from './account.ts'

/** Returns the diff from an empty state to a genesis state. */
export function allocationDiff(
  accounts: readonly GenesisAccount[],
  keccak256: Keccak256,
): StateDiff {
  const rows: Uint8Array[] = []
  const storage: Uint8Array[] = []
  const codes: CodeRow[] = []
  for (const { address, balance, nonce, code, storage: slots } of accounts) {
    const codeHash = keccak256(code)
    rows.push(address, encodeAccount({ nonce, balance, codeHash }))
    if (code.length > 0) codes.push({ codeHash, code })
    for (const { slot, value } of slots) storage.push(address, slot, value)
  }
  return {
    accounts: concatBytes(rows),
    cleared: EMPTY_BYTES,
    storage: concatBytes(storage),
    codes,
  }
}
