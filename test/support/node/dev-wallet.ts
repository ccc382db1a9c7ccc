import type { HDAccount } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

const MNEMONIC = 'test test test test test test test test test test test junk'

const ACCOUNTS: readonly HDAccount[] = Array.from({ length: 10 }, (_, addressIndex) =>
  mnemonicToAccount(MNEMONIC, { addressIndex }),
)

/** The n-th of the ten funded accounts of the dev preset (m/44'/60'/0'/0/n), derived by viem. */
export function devAccount(index: number): HDAccount {
  const account = ACCOUNTS[index]
  if (account === undefined) throw new RangeError(`dev account ${index} of ${ACCOUNTS.length}`)
  return account
}
