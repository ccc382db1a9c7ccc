import { concatBytes, EMPTY_BYTES } from '../../../base/bytes.ts'
import type { StateDiff } from '../../../evm/engine/state-diff.ts'
import { decodeAccount, EMPTY_CODE_HASH, encodeAccount } from '../../../evm/state/account.ts'
import { runInRounds } from '../../../evm/state/run-in-rounds.ts'
import type { StateView } from '../../../evm/state/view.ts'

/**
 * Returns the changes that fund accounts on a fork. They keep their nonces and lose their code: the keys of
 * development accounts are public, and on public networks some are delegated to code that takes what they receive
 * (EIP-7702).
 */
export function fundedAccounts(
  view: StateView,
  addresses: readonly Uint8Array[],
  balance: bigint,
): StateDiff | Promise<StateDiff> {
  return runInRounds(view, (known) => {
    const rows = addresses.flatMap((address) => {
      const { nonce } = decodeAccount(known.account(address))
      return [address, encodeAccount({ nonce, balance, codeHash: EMPTY_CODE_HASH })]
    })
    return {
      accounts: concatBytes(rows),
      cleared: EMPTY_BYTES,
      storage: EMPTY_BYTES,
      codes: [],
    }
  })
}
