import type { HDAccount } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

const MNEMONIC = 'test test test test test test test test test test test junk'

/** The n-th funded account of the dev preset (m/44'/60'/0'/0/n), derived here by viem. */
export function devAccount(index: number): HDAccount {
  return mnemonicToAccount(MNEMONIC, { addressIndex: index })
}
