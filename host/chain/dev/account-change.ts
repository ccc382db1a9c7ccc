import { concatBytes, EMPTY_BYTES } from '../../base/bytes.ts'
import type { Keccak256 } from '../../evm/chain-types/signature-recovery.ts'
import type { CodeRow, StateDiff } from '../../evm/engine/state-diff.ts'
import {
  ACCOUNT_RECORD,
  type Account,
  decodeAccount,
  EMPTY_CODE_HASH,
  encodeAccount,
  isContract,
} from '../../evm/state/account.ts'
import type { AsyncStateView } from '../../evm/state/view.ts'

/** Fields of an account to set; absent ones keep their value. */
export interface AccountFields {
  readonly nonce?: bigint
  readonly balance?: bigint
  readonly code?: Uint8Array
}

/** A slot and its value, 32 bytes each. */
export interface DevSlotValue {
  readonly slot: Uint8Array
  readonly value: Uint8Array
}

/** The changes of an account. */
export interface DevAccountChange extends AccountFields {
  readonly address: Uint8Array
  readonly storage?: readonly DevSlotValue[]
}

/** Largest balance, and largest nonce (EIP-2681). */
export const MOST_BALANCE = 2n ** 256n - 1n
export const MOST_NONCE = 2n ** 64n - 2n

/** Returns the record of an account. An empty account has a record of zeros, which deletes it (EIP-161). */
function recordOf(account: Account): Uint8Array {
  const { nonce, balance } = account
  const isEmpty = nonce === 0n && balance === 0n && !isContract(account)
  return isEmpty ? new Uint8Array(ACCOUNT_RECORD) : encodeAccount(account)
}

/** Returns the state diff of account changes. Each address may occur once. */
export async function changedAccounts(
  view: Pick<AsyncStateView, 'account'>,
  changes: readonly DevAccountChange[],
  keccak256: Keccak256,
): Promise<StateDiff> {
  const accounts: Uint8Array[] = []
  const storage: Uint8Array[] = []
  const codes: CodeRow[] = []
  for (const { address, nonce, balance, code, storage: slots = [] } of changes) {
    if (nonce !== undefined || balance !== undefined || code !== undefined) {
      const before = decodeAccount(await view.account(address))
      const codeHash = code && hashOf(code, keccak256)
      const now = {
        nonce: nonce ?? before.nonce,
        balance: balance ?? before.balance,
        codeHash: codeHash ?? before.codeHash,
      }
      accounts.push(address, recordOf(now))
      if (code !== undefined && codeHash !== undefined && code.length > 0) {
        codes.push({ codeHash, code })
      }
    }
    for (const { slot, value } of slots) storage.push(address, slot, value)
  }
  return {
    accounts: concatBytes(accounts),
    cleared: EMPTY_BYTES,
    storage: concatBytes(storage),
    codes,
  }
}

function hashOf(code: Uint8Array, keccak256: Keccak256): Uint8Array {
  return code.length === 0 ? EMPTY_CODE_HASH : keccak256(code)
}
